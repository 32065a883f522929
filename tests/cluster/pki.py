"""Certificates, made by openssl: a CA, and what it signs. Keys are of P-256, for two days."""

import base64
import datetime
import os
import subprocess

_NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]


def _openssl(*words):
    done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"openssl {' '.join(words)}:\n{done.stderr}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def encoded(path):
    """The file in base64, as kubeconfigs and CA bundles have it."""
    return base64.b64encode(read(path).encode()).decode()


def replace(path, text):
    """Puts the text there at once: who reads the file sees the old one or the new one."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def bundle(path, *authorities):
    """A file with the certificates of these CAs."""
    replace(path, "".join(read(each.certificate) for each in authorities))
    return path


class Authority:
    """A CA in a directory; its files are NAME.crt and NAME.key."""

    def __init__(self, directory, name):
        self.directory = directory
        self.certificate = os.path.join(directory, name + ".crt")
        self.key = os.path.join(directory, name + ".key")
        _openssl("req", "-x509", *_NEW_KEY, "-subj", "/CN=" + name, "-keyout", self.key,
                 "-out", self.certificate, "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def _issue(self, name, subject, usage, *extensions):
        certificate = os.path.join(self.directory, name + ".crt")
        key = os.path.join(self.directory, name + ".key")
        more = [word for text in ("basicConstraints=critical,CA:FALSE", "extendedKeyUsage=" + usage,
                                  *extensions) for word in ("-addext", text)]
        _openssl("req", "-x509", "-CA", self.certificate, "-CAkey", self.key, *_NEW_KEY, "-subj",
                 subject, "-keyout", key, "-out", certificate, *more)
        return certificate, key

    def client(self, user, groups=(), name=None):
        """(certificate, key) of a client: the user is its CN, each group an O."""
        subject = "".join(f"/O={group}" for group in groups) + "/CN=" + user
        return self._issue(name or "client-" + user.replace(":", "-"), subject, "clientAuth")

    def server(self, name, *hosts):
        """(certificate, key) of a server of these DNS names, localhost and 127.0.0.1."""
        names = ",".join(f"DNS:{host}" for host in (*hosts, "localhost")) + ",IP:127.0.0.1"
        return self._issue(name, "/CN=" + name, "serverAuth", "subjectAltName=" + names)


_REISSUE = """[ca]
default_ca = again
[again]
database = {directory}/index.txt
new_certs_dir = {directory}
default_md = sha256
rand_serial = yes
unique_subject = no
copy_extensions = copyall
policy = any
[any]
commonName = optional
"""


def reissued(directory, pem, key_pem, days, signer=None):
    """The certificate again, of the same key, names and extensions, valid from days[0] from now to
    days[1]. signer: (certificate, key) of its CA, which is otherwise its own. All of it is PEM."""
    os.makedirs(directory, exist_ok=True)

    def file(name, text=""):
        path = os.path.join(directory, name)
        replace(path, text)
        return path
    old, key, request = file("old.crt", pem), file("old.key", key_pem), file("request")
    file("index.txt")
    _openssl("x509", "-x509toreq", "-copy_extensions", "copyall", "-in", old, "-signkey", key,
             "-out", request)
    by = ["-selfsign", "-keyfile", key]
    if signer is not None:
        by = ["-cert", file("signer.crt", signer[0]), "-keyfile", file("signer.key", signer[1])]
    now = datetime.datetime.now(datetime.timezone.utc)
    begin, end = (f"{now + datetime.timedelta(days=each):%Y%m%d%H%M%SZ}" for each in days)
    new = os.path.join(directory, "new.crt")
    _openssl("ca", "-batch", "-notext", "-config", file("config", _REISSUE.format(
        directory=directory)), *by, "-in", request, "-startdate", begin, "-enddate", end, "-out", new)
    return read(new)


def signing_key(path):
    """An RSA key for the tokens of service accounts; returns its path."""
    _openssl("genrsa", "-out", path, "2048")
    return path
