// What each call of main costs when the network runs: instructions in an emulator of a
// microcontroller, time on this computer, or cycles that a board has measured. For `mlf profile`.
//
//     const auto networks = deployment.networks();
//     if (!networks) return fail(networks.error());
//     const mlf::RunOptions options{.seed = 1, .cpu = "cortex-m4"};
//     const auto profile = mlf::profile_network(deployment, networks->found.front(), options, 10);
//     if (!profile) return fail(profile.error());
//     for (const mlf::ProfiledCall& call : profile->calls) print(call.kernel);
//
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/analysis/cost.h"
#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/graph/write.h"
#include "mlf/report.h"
#include "mlf/run.h"

namespace mlf {

/// Where the numbers of a profile come from.
enum class ProfileSource : std::uint8_t {
  emulated,  ///< an emulator has counted instructions
  timed,     ///< this computer has run the network
  measured,  ///< a board has run it
};
MLF_API std::string_view to_string(ProfileSource source);

/// The spread of a number over several runs, or its bounds.
struct ProfileSpread {
  std::uint64_t min = 0;
  std::optional<std::uint64_t> median{};  ///< of several runs; nothing for bounds
  std::optional<std::uint64_t> max{};     ///< nothing: there is no upper bound
};

/// What is known of a call, or of several.
struct ProfileNumbers {
  std::optional<std::uint64_t> instructions{};
  std::optional<ProfileSpread> cycles{};
  std::optional<ProfileSpread> nanoseconds{};

  /// The number that was counted or measured: instructions, or the median of cycles or of
  /// nanoseconds. Calls of one profile are compared by it.
  MLF_API std::uint64_t amount() const;
};

/// The cycles that an instruction takes on average. For a core they are an assumption.
struct CyclesPerInstruction {
  double min = 0;
  std::optional<double> max{};
  std::string source{};  ///< one sentence: their origin and conditions
};

/// The source of cycles per instruction that the user gives and is responsible for.
inline constexpr std::string_view kStatedByUser = "--cpi";

/// The clock of a core, for times.
struct ProfileClock {
  std::uint64_t hertz = 0;
  /// For instructions. Nothing where cycles were measured.
  std::optional<CyclesPerInstruction> cycles_per_instruction{};
};

struct ProfiledCall {
  std::size_t call = 0;  ///< its position among the calls of main
  std::string kernel{};  ///< its symbol
  std::string layer{};   ///< name of its layer in the model; empty: not known
  ProfileNumbers numbers{};
  analysis::Count mac{};         ///< multiply-accumulates
  analysis::Count loaded{};      ///< bytes loaded
  analysis::Count divisions{};   ///< divisions and remainders, of data and of indices
  bool computes_floats = false;  ///< certainly; unknown for calls of a file

  /// Adds the numbers and costs of another call.
  MLF_API ProfiledCall& operator+=(const ProfiledCall& other);
};

/// All calls of one kernel.
struct ProfiledKernel {
  std::size_t calls = 0;
  /// The first one with the sums of all. Spreads have the sums of the least, of the medians and of
  /// the most.
  ProfiledCall sum{};
};

struct ProfiledOutput {
  std::string name{};
  std::string sha256{};  ///< of its bytes
};

struct Profile {
  std::string module{};
  ProfileSource source{};
  std::string cpu{};                 ///< a name of `processors`; empty for measurements of a board
  std::string machine{};             ///< the board of the emulator; empty: there is none
  std::string emulator{};            ///< its program; empty: there is none
  std::string compiler{};            ///< its command; empty: not known
  std::string compiler_version{};    ///< as it prints it; empty: not known
  std::vector<std::string> flags{};  ///< of the compiler, those of mlf first
  std::uint64_t runs = 1;            ///< of the network
  std::optional<ProfileClock> clock{};
  std::vector<ProfiledCall> calls{};  ///< in the order of execution
  ProfileNumbers total{};             ///< of all calls
  /// One run of the entry function, with what main does between calls. Nothing where it is not
  /// known.
  std::optional<ProfileNumbers> network{};
  std::vector<ProfiledOutput> outputs{};  ///< that the run computed, in their order
  /// SHA-256 of the module's C and objects that ran; empty for measurements of a board, which do
  /// not say what ran.
  std::string code{};

  MLF_API std::string_view unit() const;  ///< "instructions", "cycles" or "nanoseconds"
};

/// Compiles the C of the network's module with a compiler that has the options of gcc, runs it, and
/// measures each call of main: `runs` times on this computer, once in an emulator. Records no
/// tensors. Subtracts the overhead of measuring. In an emulator, the code has no access to this
/// computer, and the numbers are the same in every run. Compiler, emulator and program have limits;
/// their processes are ended and their files removed.
///
/// Errors: `usage` for an unknown processor, programs that are not installed, and inputs as for
/// `run_network`; `check_failed` if main's C does not show each call, or if the network does not
/// fit into the memory of the board; `invalid_input` if the C does not compile, if functions are
/// missing, or if the run fails; `io`.
MLF_API Result<Profile> profile_network(const Deployment& deployment, const Network& network,
                                        const RunOptions& options, std::uint64_t runs);

/// Returns a profile of what a board has measured. `csv` has the head `call,cycles`, and a row for
/// each call and run in any order: the k-th row of each call belongs to the k-th run. Errors:
/// `invalid_input` with the line, also if calls have different numbers of rows.
MLF_API Result<Profile> measured_profile(const Deployment& deployment, const Network& network,
                                         std::string_view csv);

/// Writes the archive with calls of `mlf_call_begin(n)` and `mlf_call_end(n)` around call n of
/// main. Adds members that declare these functions, define them so that they do nothing, and show
/// an example for boards. Every other member keeps its bytes. Returns a sentence for each attribute
/// of a replaced file that the new file could not keep.
///
/// Errors: `check_failed` if main's C does not show each call once, or has these calls already;
/// `invalid_input` for anything but a tar; `io`.
MLF_API Result<std::vector<std::string>> write_instrumented(const Deployment& deployment,
                                                            const Network& network,
                                                            const std::string& output);
/// Restores the archive that `write_instrumented` was given. Errors: `check_failed` if there is
/// nothing to remove, or if the calls are not as they were written; `io`.
MLF_API Result<std::vector<std::string>> write_without_instruments(const Deployment& deployment,
                                                                   const std::string& output);

/// Adds times. Times of instructions are an interval, by `assumed` cycles per instruction or by
/// those of the processor's manual. Errors: `usage` if the profile has measured times, or if
/// nothing is assumed for the processor.
MLF_API Result<void> set_clock(Profile& profile, std::uint64_t hertz,
                               std::optional<CyclesPerInstruction> assumed = {});

/// Returns the kernels of a profile in the order of their first calls.
MLF_API std::vector<ProfiledKernel> kernels_of(const Profile& profile);

/// Writes a profile as JSON (schemas/profile.schema.json).
MLF_API std::string to_json(const Profile& profile, const DocumentForm& form);
/// Reads it. Errors: `invalid_input`.
MLF_API Result<Profile> read_profile(std::string_view json);
/// The same from a file. Errors: also `io`.
MLF_API Result<Profile> load_profile(const std::string& path);

/// Adds the numbers of a profile to the report of its module, and sorts its findings by `share`.
/// `report` is that of the deployment. Errors: `usage` if the archive has no such module, if the
/// module's calls are not those of the profile, or if its C is not what ran.
MLF_API Result<void> add_profile(Report& report, const Deployment& deployment,
                                 const Profile& profile);

/// Returns the times of a profile for a trace of the network: the medians of several runs, else the
/// upper bounds if all calls have one, else the lower bounds. Errors: `usage` if the profile has no
/// times, and those of `add_profile`.
MLF_API Result<graph::TraceTimes> trace_times(const Deployment& deployment, const Network& network,
                                              const Profile& profile);

/// A call of one profile or of both.
struct ProfileDifference {
  std::optional<std::size_t> before{};  ///< index into the calls of the profile
  std::optional<std::size_t> after{};
};

/// Pairs the n-th calls of each kernel, then the remaining calls by position if both profiles have
/// the same number of them. Returns the calls in the order of `after`, then those that only
/// `before` has. Errors: `usage` if the units differ.
MLF_API Result<std::vector<ProfileDifference>> compare_profiles(const Profile& before,
                                                                const Profile& after);

}  // namespace mlf
