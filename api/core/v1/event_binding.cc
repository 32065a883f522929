#include "api/core/v1/event.h"
#include "api/schema/binding.h"

namespace asyncops::core {

const ObjectBinding<ObjectReference>& ObjectReference::Binding() {
  static const auto kBinding =
      ObjectBinding<ObjectReference>("io.k8s.api.core.v1.ObjectReference",
                                     "One object, or a part of it.")
          .Field("apiVersion", &ObjectReference::api_version,
                 "Group and version of the object, such as asyncops.dev/v1alpha1.")
          .Field("kind", &ObjectReference::kind, "Kind of the object, such as AsyncResource.")
          .Field("namespace", &ObjectReference::namespace_name, "Namespace of the object.")
          .Field("name", &ObjectReference::name, "Name of the object.")
          .Field("uid", &ObjectReference::uid, "UID of the object.")
          .Field("resourceVersion", &ObjectReference::resource_version,
                 "The version of the object that is meant; any where absent.")
          .Field("fieldPath", &ObjectReference::field_path,
                 "The part of the object that is meant; the whole where absent.");
  return kBinding;
}

const ObjectBinding<EventSource>& EventSource::Binding() {
  static const auto kBinding =
      ObjectBinding<EventSource>("io.k8s.api.core.v1.EventSource", "Who reports an event.")
          .Field("component", &EventSource::component, "The component, such as asyncops.")
          .Field("host", &EventSource::host, "The machine that the component runs on.");
  return kBinding;
}

const ObjectBinding<EventSeries>& EventSeries::Binding() {
  static const auto kBinding =
      ObjectBinding<EventSeries>("io.k8s.api.core.v1.EventSeries",
                                 "How often the same event came in a burst.")
          .Field("count", &EventSeries::count, "How many times it happened so far.")
          .Field("lastObservedTime", &EventSeries::last_observed_time, "When it last happened.",
                 {.format = StringFormat::kMicroTime});
  return kBinding;
}

namespace {

ObjectBinding<Event> StoryFields() {
  return ObjectBinding<Event>("io.k8s.api.core.v1.Event", "Something that happened to an object.")
      .Constant("apiVersion", "v1", "Group and version of the object: v1.")
      .Constant("kind", "Event", "The kind of object: Event.")
      .Field("metadata", &Event::metadata, "Name, namespace, labels and the like.")
      .Field("involvedObject", &Event::involved_object, "The object that it happened to.",
             {.required = true})
      .Field("reason", &Event::reason, "What happened, in one word, such as Submitted.",
             {.max_length = 128})
      .Field("message", &Event::message, "What happened, for people.")
      .Field("type", &Event::type, "Normal, or Warning where someone may have to act.");
}

}  // namespace

const ObjectBinding<Event>& Event::Binding() {
  static const auto kBinding =
      StoryFields()
          .Field("count", &Event::count, "How many times it happened.")
          .Field("firstTimestamp", &Event::first_timestamp, "When it happened first.")
          .Field("lastTimestamp", &Event::last_timestamp, "When it happened last.")
          .Field("source", &Event::source, "Who reports it.")
          .Field("eventTime", &Event::event_time,
                 "When it happened, where the event comes from the newer events API.",
                 {.format = StringFormat::kMicroTime})
          .Field("series", &Event::series, "How often it came, where it came in a burst.")
          .Field("action", &Event::action, "What was done or failed.", {.max_length = 128})
          .Field("related", &Event::related, "A second object that plays a part.")
          .Field("reportingComponent", &Event::reporting_component,
                 "The controller that reports it, such as asyncops.dev/reconciler.")
          .Field("reportingInstance", &Event::reporting_instance, "The process that reports it.",
                 {.max_length = 128});
  return kBinding;
}

}  // namespace asyncops::core
