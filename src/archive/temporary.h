// Temporary files with a name: their names, and their removal after a run that did not remove them.
//
// A run holds a lock (flock) on its temporary as long as that has a name. So a temporary that can
// be locked is from a killed run, and the next run on the same target removes it. A run that a
// signal ends can remove its temporaries itself: see `remove_temporary_files` of the public header.
#pragma once

#include <string>
#include <string_view>

#include "support/file.h"

namespace mlf::archive {

/// The most runs that may replace one file at the same time.
inline constexpr unsigned kTemporarySlots = 16;

/// The name of a temporary of `target`, which is in the same directory: ".mlf-<digest of the
/// target's name>-<slot>". The names are fixed, so that mlf need not search the directory.
std::string temporary_name(std::string_view target, unsigned slot);

/// Returns whether a file of this name is a temporary of any target.
bool is_temporary_name(std::string_view name);

/// Locks a temporary of this run. On a file system without locks it stays unlocked; no other
/// process can lock and remove it there either.
void lock_temporary(const support::File& file);

/// Removes the temporary `name`, if it exists and no running process holds it.
void remove_abandoned(const support::File& directory, const std::string& name);

/// Removes all temporaries of `target` that killed runs left.
void remove_abandoned_of(const support::File& directory, std::string_view target);

/// Registers a name for `remove_temporary_files`, from before the file gets it until it loses it.
class NotedTemporary {
 public:
  NotedTemporary(const support::File& directory, const std::string& name) noexcept;
  NotedTemporary(const NotedTemporary&) = delete;
  NotedTemporary& operator=(const NotedTemporary&) = delete;
  ~NotedTemporary();

  struct Note;

 private:
  Note* note_;  ///< null if all were in use
};

}  // namespace mlf::archive
