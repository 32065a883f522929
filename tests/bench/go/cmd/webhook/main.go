// Command webhook is the webhook that a Go operator would have for AsyncResources: typed objects, by
// controller-runtime, and the rules of ours that the review of the bench meets, written by hand.
package main

import (
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/go-logr/logr"
)

func main() {
	port := flag.Int("port", 0, "port of the loopback to listen on")
	directory := flag.String("cert-dir", "", "directory of the serving certificate")
	certificate := flag.String("cert", "", "its file there")
	key := flag.String("key", "", "the file of its key there")
	flag.Parse()
	ctrl.SetLogger(logr.Discard())

	scheme := runtime.NewScheme()
	version := schema.GroupVersion{Group: "asyncops.dev", Version: "v1alpha1"}
	scheme.AddKnownTypes(version, &AsyncResource{})
	server := webhook.NewServer(webhook.Options{
		Host: "127.0.0.1", Port: *port, CertDir: *directory, CertName: *certificate, KeyName: *key,
	})
	server.Register("/validate", admission.WithValidator(scheme, validator{}))
	if err := server.Start(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, "webhook:", err)
		os.Exit(1)
	}
}
