// One story told with the official JavaScript client: objects are made, watched by an informer,
// paged, patched, fought over and deleted, and the server is killed in between. What the informer
// saw is compared with what was done. Asks for a RESTART on stdout.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import readline from "node:readline";
import * as k8s from "@kubernetes/client-node";

const group = "operations.asyncops.dev";
const version = "v1alpha1";
const plural = "asyncoperations";
const namespace = "story-node";
const path = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
const made = 25;

const config = new k8s.KubeConfig();
config.loadFromDefault();
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const core = config.makeApiClient(k8s.CoreV1Api);
const acks = [];
const seen = new Map(); // name -> versions in the order they came
const gone = [];
const where = { group, version, namespace, plural };
let informer;

async function awaitTrue(what, condition, seconds = 20) {
  const deadline = Date.now() + seconds * 1000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await pause(20);
  }
}

// One that the engine leaves alone, once it has said so in the status.
function operation(name) {
  return {
    apiVersion: `${group}/${version}`, kind: "AsyncOperation",
    metadata: { name, labels: { of: "op" } },
    spec: { type: "Action", suspend: true, externalSystemRef: { name: "nobody" },
      submit: { method: "POST", path: "/x" }, poll: { path: "/x" } },
  };
}

function acknowledge(object) {
  acks.push([object.metadata.name, object.metadata.resourceVersion]);
}

const get = (name) => custom.getNamespacedCustomObject({ ...where, name });
const list = (options = {}) => custom.listNamespacedCustomObject({ ...where, ...options });

async function settled(name) {
  await awaitTrue(`the status of ${name}`, async () => {
    const object = await get(name);
    return object.status?.observedGeneration === object.metadata.generation;
  });
  return get(name);
}

async function refused(code, call) {
  try {
    await call();
  } catch (problem) {
    assert.equal(problem.code, code, String(problem));
    return problem;
  }
  throw new Error(`it is not refused with ${code}`);
}

function saw(object) {
  const { name, resourceVersion } = object.metadata;
  if (!seen.has(name)) seen.set(name, []);
  seen.get(name).push(resourceVersion);
}

// --- the steps, in order

async function startsAnInformer() {
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  informer = k8s.makeInformer(config, path, () => list());
  informer.on("add", saw);
  informer.on("update", saw);
  informer.on("delete", (object) => gone.push(object.metadata.name));
  // What an application does about an error of its informer: it starts it again.
  informer.on("error", () => setTimeout(() => informer.start(), 50));
  await informer.start();
}

async function makesObjects(names = Array.from({ length: made }, (_, i) => `op-${i}`)) {
  for (const name of names) {
    acknowledge(await custom.createNamespacedCustomObject({ ...where, body: operation(name) }));
  }
  for (const name of names) await settled(name);
}

async function pages() {
  const names = [];
  const versions = new Set();
  let count = 0;
  let token;
  do {
    const page = await list({ limit: 10, _continue: token, labelSelector: "of=op" });
    names.push(...page.items.map((each) => each.metadata.name));
    versions.add(page.metadata.resourceVersion);
    token = page.metadata._continue ?? page.metadata.continue;
    count += 1;
  } while (token);
  assert.deepEqual([count, new Set(names).size, versions.size], [3, made, 1]);
  assert.deepEqual(names, [...names].sort());
}

async function patches() {
  const patch = (body, type) => custom.patchNamespacedCustomObject({ ...where, name: "op-2", body },
    k8s.setHeaderOptions("Content-Type", type));
  acknowledge(await patch({ metadata: { labels: { merged: "yes" } } }, k8s.PatchStrategy.MergePatch));
  const done = await patch([{ op: "add", path: "/metadata/annotations", value: { note: "patched" } }],
    k8s.PatchStrategy.JsonPatch);
  acknowledge(done);
  assert.equal(done.metadata.labels.merged, "yes");
  assert.equal(done.metadata.annotations.note, "patched");
  await refused(415, () => patch({ metadata: {} }, k8s.PatchStrategy.StrategicMergePatch));
}

// Server-side apply: creation, a conflict that names the manager, and force.
async function applies() {
  const apply = (size, fieldManager, force) => custom.patchNamespacedCustomObject({
    ...where, name: "applied", fieldManager, force,
    body: { ...operation("applied"), metadata: { name: "applied", annotations: { size } } },
  }, k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.ServerSideApply));
  acknowledge(await apply("1", "mine"));
  await settled("applied");
  const problem = await refused(409, () => apply("2", "yours", false));
  assert.match(problem.body, /FieldManagerConflict/);
  const done = await apply("2", "yours", true);
  acknowledge(done);
  assert.equal(done.metadata.annotations.size, "2");
}

async function refusesWhatIsStale() {
  const old = await settled("op-3");
  const replace = (body) => custom.replaceNamespacedCustomObject({ ...where, name: "op-3", body });
  acknowledge(await replace({ ...old, metadata: { ...old.metadata, annotations: { first: "yes" } } }));
  await refused(409, () => replace(old));
  await refused(409, () => custom.createNamespacedCustomObject({ ...where, body: operation("op-3") }));
}

async function isKilled() {
  console.log("RESTART");
  const lines = readline.createInterface({ input: process.stdin });
  for await (const line of lines) {
    assert.equal(line, "DONE");
    return;
  }
}

async function makesMore() {
  // Where the connection that was kept is dead, the first request says so.
  await awaitTrue("an answer after the restart", () => list().then(() => true, () => false));
  await makesObjects(["late-0", "late-1"]);
}

async function deletes() {
  for (const name of ["op-0", "late-1"]) {
    await custom.deleteNamespacedCustomObject({ ...where, name });
    await refused(404, () => get(name));
  }
}

async function agrees() {
  await awaitTrue("the last to be seen", () => gone.includes("op-0") && gone.includes("late-1"));
  for (const [name, resourceVersion] of acks) {
    const count = (seen.get(name) ?? []).filter((each) => each === resourceVersion).length;
    assert.equal(count, 1, `${name} at ${resourceVersion} was seen ${count} times: ${seen.get(name)}`);
  }
  for (const [name, versions] of seen) {
    const numbers = versions.map(Number);
    assert.deepEqual(numbers, [...numbers].sort((a, b) => a - b), `${name} out of order`);
  }
  const held = informer.list().map((each) => [each.metadata.name, each.metadata.resourceVersion]);
  const wanted = (await list()).items.map((each) => [each.metadata.name, each.metadata.resourceVersion]);
  assert.deepEqual(held.sort(), wanted.sort());
}

const steps = [startsAnInformer, makesObjects, pages, patches, applies, refusesWhatIsStale, isKilled, makesMore,
  deletes, agrees];
let failed = 0;
for (const step of steps) {
  try {
    await step();
  } catch (problem) {
    console.log(`FAILED: ${step.name}: ${problem.stack}`);
    failed += 1;
  }
}
console.log(`node ${process.version}: ${steps.length} steps, ${acks.length} acknowledged writes, `
  + `${failed} failures`);
process.exit(failed > 0 ? 1 : 0);
