#include "api/fieldmanager/conflict.h"

#include <map>
#include <string>
#include <utility>

#include "api/meta/quote.h"

namespace asyncops::fieldmanager {
namespace {

constexpr std::string_view kCause = "FieldManagerConflict";

// `"kubectl-edit" with subresource "status" using v1 at 2026-11-29T16:47:53Z`.
std::string Describe(const ManagerEntry& owner) {
  std::string out = Quote(owner.manager);
  if (!owner.subresource.empty()) out.append(" with subresource ").append(Quote(owner.subresource));
  if (owner.is_applied) return out;
  out.append(" using ").append(owner.api_version);
  if (!owner.time.empty()) out.append(" at ").append(owner.time);
  return out;
}

}  // namespace

Status ConflictStatus(const std::vector<FieldConflict>& conflicts) {
  StatusDetails details;
  std::map<std::string, std::string> lines_of;
  for (const FieldConflict& conflict : conflicts) {
    const std::string owner = Describe(conflict.owner);
    const std::string path = FormatPath(conflict.path);
    details.causes.push_back({std::string(kCause), "conflict with " + owner, path});
    lines_of[owner].append("\n- ").append(path);
  }
  std::string message = "Apply failed with " + std::to_string(conflicts.size());
  if (conflicts.size() == 1) {
    const StatusCause& cause = details.causes.front();
    message.append(" conflict: ").append(cause.message).append(": ").append(cause.field);
  } else {
    message.append(" conflicts: ");
    std::string_view separator;
    for (const auto& [owner, lines] : lines_of) {
      message.append(separator).append("conflicts with ").append(owner).append(":").append(lines);
      separator = "\n";
    }
  }
  return Status(Reason::kConflict, std::move(message)).WithDetails(std::move(details));
}

}  // namespace asyncops::fieldmanager
