// Temporary files with a name: which name they get, and how they go when the run that made them
// does not end as it should.
//
// A run holds a lock (flock) on its temporary for as long as that has a name. So a temporary that
// can be locked is one of a run that was killed, and the next run on the same target removes it.
// A run that a signal ends can do that by itself, see `remove_temporary_files` of the public
// header.
#pragma once

#include <string>
#include <string_view>

#include "support/file.h"

namespace mlf::archive {

/// So many runs may be about to replace one file at the same time.
inline constexpr unsigned kTemporarySlots = 16;

/// The names for temporaries of `target`, which is in the same directory: ".mlf-<digest of the
/// target's name>-<slot>". They are known in advance, so that the directory need not be searched.
std::string temporary_name(std::string_view target, unsigned slot);

/// Whether a file of this name is a temporary, of whatever target.
bool is_temporary_name(std::string_view name);

/// Locks a temporary of this run. File systems that have no locks leave it unlocked: then no
/// other process can lock and remove it either.
void lock_temporary(const support::File& file);

/// Removes the temporary `name` unless a run that is alive holds it, or there is none.
void remove_abandoned(const support::File& directory, const std::string& name);

/// Removes what killed runs have left of all temporaries of `target`.
void remove_abandoned_of(const support::File& directory, std::string_view target);

/// Notes a name for `remove_temporary_files`, from before the file gets it until it has it no more.
class NotedTemporary {
 public:
  NotedTemporary(const support::File& directory, const std::string& name) noexcept;
  NotedTemporary(const NotedTemporary&) = delete;
  NotedTemporary& operator=(const NotedTemporary&) = delete;
  ~NotedTemporary();

  struct Note;

 private:
  Note* note_;  ///< null where all were taken
};

}  // namespace mlf::archive
