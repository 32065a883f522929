"""Bugs that somebody could write into the engine, each as a piece of text and what stands there
instead. A test must notice each (mutants.py). The text must stand in its file once."""

import collections

Bug = collections.namedtuple("Bug", "name file old new")

R = "reconciler/"

BUGS = [
    Bug("the call goes out before its intent is on disk", R + "operation_calls.cc",
        "  const Result<OperationState> intended =\n"
        "      Record(pass, IntentStep(context, std::move(begun), *request));",
        "  const Result<OperationState> intended =\n"
        "      IntentStep(context, std::move(begun), *request).next;"),
    Bug("no idempotency key is sent", R + "operation_calls.cc",
        "const bool needs_key = pass.policy().sends_key &&",
        "const bool needs_key = false && pass.policy().sends_key &&"),
    Bug("the key is another one after an ambiguous send", R + "decide.cc",
        "    return in.operation.spec.suspend ? Suspended() : action::Resend{};",
        "    return in.operation.spec.suspend ? Suspended() : action::Submit{};"),
    Bug("a key is relied on for ever", R + "decide.cc",
        "  return now - row.intent_at < policy.key_ttl - margin;",
        "  return now - row.intent_at < policy.key_ttl + 1000 * margin;"),
    Bug("a look-up that finds nothing is believed at once", R + "submit_steps.cc",
        "const bool counts = context.now >= settled;",
        "const bool counts = context.now >= settled || settled > context.now;"),
    Bug("what is unknown is sent again instead of parked", R + "decide.cc",
        "  if (in.policy->park_on_unknown)\n    return action::Park{",
        "  if (in.policy->park_on_unknown && in.row->submission < 0)\n    return action::Park{"),
    Bug("a 5xx of a POST counts as a definite refusal", R + "classify.cc",
        "  if (seen.status == 408 || seen.status >= 500) return {ErrorClass::kAmbiguous,",
        "  if (seen.status == 408 || seen.status >= 500) return {ErrorClass::kRecoverable,"),
    Bug("a call without an answer counts as not sent", R + "external_client.cc",
        "  answer.outcome = exchange.outcome;",
        "  answer.outcome = exchange.outcome == Outcome::kAmbiguous ? Outcome::kNotSent\n"
        "                                                           : exchange.outcome;"),
    Bug("an earlier owner may write over a later one", "storage/sqlite/operation_table.cc",
        "\"owner_epoch <= ?6\"", "\"owner_epoch <= ?6 + 1000000\""),
    Bug("a row is written whatever state it is in", "storage/sqlite/operation_table.cc",
        "AND state = ?33 AND ", "AND (state = ?33 OR 1) AND "),
    Bug("each start has the same epoch", R + "owner_epoch.cc",
        "*epoch = *revision;", "*epoch = *revision > 0 ? 1 : 0;"),
    Bug("the count of retries is lost", R + "submit_steps.cc",
        "  ++state->row.retry_count;\n", "  state->row.retry_count = 1;\n"),
    Bug("the end of a backoff is not written down", R + "submit_steps.cc",
        "  row.state = state::kBackoff;\n  row.next_attempt_at = context.now + wait;",
        "  row.state = state::kBackoff;\n  row.next_attempt_at.reset();"),
    Bug("Retry-After is not read", R + "external_client.cc",
        "  answer.retry_after = ParseRetryAfter(exchange.response.headers, now);",
        "  answer.retry_after = std::nullopt;"),
    Bug("the deadline is not looked at", R + "decide.cc",
        "  return deadline && in.now >= *deadline;",
        "  return deadline && in.now < Time::min();"),
    Bug("what passed its deadline is started again beside what runs", R + "decide.cc",
        "code == \"DeadlineExceeded\" &&", "code == \"NoDeadline\" &&"),
    Bug("a poll's 404 is believed at once", R + "poll_steps.cc",
        "constexpr int kNotFoundPolls = 3;\nconstexpr Duration kNotFoundTime = "
        "std::chrono::seconds(60);",
        "constexpr int kNotFoundPolls = 1;\nconstexpr Duration kNotFoundTime = "
        "std::chrono::seconds(-1);"),
    Bug("a request to cancel is forgotten", R + "decide.cc",
        " return action::BeginCancel{\"CancelRequested\"};", " return DecidePoll(in);"),
    Bug("a delete counts as done when it is on its way", R + "poll_steps.cc",
        "  if (before.row.state == state::kSubmitted) next.row.state = state::kRunning;",
        "  if (context.operation.spec.type == \"Delete\") {\n"
        "    Complete(context, state::kSucceeded, \"\", \"\", \"\", &transition);\n"
        "    return Seal(context, std::move(transition));\n"
        "  }\n"
        "  if (before.row.state == state::kSubmitted) next.row.state = state::kRunning;"),
    Bug("the finalizer of a resource is never set", R + "resource_reconciler.cc",
        "    finalizers->push_back(wanted);", "    finalizers->shrink_to_fit();"),
    Bug("outputs are not kept", R + "poll_steps.cc",
        "  transition.next.memo.outputs = outputs;\n"
        "  Complete(context, state::kSucceeded, \"\", \"\", \"\", &transition);\n"
        "  return Seal(context, std::move(transition));\n"
        "}\n\n"
        "Transition Failed(",
        "  Complete(context, state::kSucceeded, \"\", \"\", \"\", &transition);\n"
        "  transition.attempt->message += outputs.is_null() ? \"\" : \" \";\n"
        "  return Seal(context, std::move(transition));\n"
        "}\n\n"
        "Transition Failed("),
    Bug("each poll is written, changed or not", R + "poll_steps.cc",
        "  if (same == before) return std::nullopt;\n", ""),
    Bug("a request to retry acts again and again", R + "intent_steps.cc",
        "  memo.handled_retry = retry;\n", ""),
    Bug("suspended operations are sent", R + "decide.cc",
        "  if (in.operation.spec.suspend) return Suspended();\n"
        "  if (in.policy == nullptr) return NoProtocol(in);\n"
        "  return action::Submit{};",
        "  if (in.policy == nullptr) return NoProtocol(in);\n"
        "  return action::Submit{};"),
    Bug("Events are told before what they tell of is sure", R + "operation_writer.cc",
        "  return WriteMessages(rows.messages, transaction);\n}\n\n"
        "std::vector<storage::OutboxMessage> MessagesFor(",
        "  return rows.attempt ? Status::Ok() : WriteMessages(rows.messages, transaction);\n}\n\n"
        "std::vector<storage::OutboxMessage> MessagesFor("),
    Bug("a delivered Event stays in the outbox", R + "events.cc",
        "  return transaction.mailbox().Delivered(delivery.id);", "  return Status::Ok();"),
    Bug("the rows of a removed operation stay", R + "operation_writer.cc",
        "  return transaction.operations().Purge(removal.uid);", "  return Status::Ok();"),
    Bug("credentials in an answer are kept", R + "external_client.cc",
        "    answer->body = redactor.RedactJson(*json);", "    answer->body = *json;"),
    Bug("a failed operation is retried under its old submission", R + "decide.cc",
        "    return action::Submit{.reset = true};\n  }\n",
        "    return action::Submit{.same_submission = true, .reset = true};\n  }\n"),
]
