// The measures of reports: numbers of calls and of modules, with their names and words.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mlf/analysis/count.h"
#include "mlf/export.h"

namespace mlf {

struct CallReport;
struct ModuleReport;

/// A number of every call: rows of measures.def.
enum class CallMeasure : std::uint8_t {
#define MLF_CALL_MEASURE(name, column, title, unit, sum, value, words) name,
#include "mlf/measures.def"
};

#define MLF_CALL_MEASURE(name, column, title, unit, sum, value, words) +1
inline constexpr std::size_t kCallMeasures = 0
#include "mlf/measures.def"
    ;

/// The numbers of one call, by CallMeasure.
using CallNumbers = std::array<analysis::Count, kCallMeasures>;

/// How numbers of several calls become one.
enum class MeasureSum : std::uint8_t { added, largest };

struct CallMeasureInfo {
  CallMeasure measure;
  std::string_view name;    ///< key in JSON, column of `mlf table`
  std::string_view column;  ///< of `mlf report`
  std::string_view title;   ///< of a column for people
  std::string_view unit;
  MeasureSum sum;
  std::string_view words;  ///< what it is, with the unit
};
MLF_API std::span<const CallMeasureInfo> call_measures();

/// That of all these calls.
MLF_API analysis::Count total(std::span<const CallReport> calls, CallMeasure measure);

/// Where a number of a module is shown, beside `mlf table`.
enum class MeasurePlaces : std::uint8_t {
  documents,    ///< JSON, text and page
  differences,  ///< `mlf diff`
  everywhere,   ///< both
};

struct ModuleMeasureInfo {
  std::string_view key;     ///< "ram.pools": of JSON and of differences
  std::string_view column;  ///< of `mlf table`, or empty
  std::string_view label;   ///< for people, beside the others of its group
  std::string_view unit;
  MeasurePlaces places;
  analysis::Count (*value)(const ModuleReport& module);
  std::string_view words;  ///< what it is, with the unit

  /// "ram" of "ram.pools"; empty where there is no dot.
  std::string_view group() const {
    return key.substr(0, key.find('.') == key.npos ? 0 : key.find('.'));
  }
  /// "pools" of "ram.pools".
  std::string_view name() const { return key.substr(key.find('.') + 1); }
  bool is_in_documents() const { return places != MeasurePlaces::differences; }
  bool is_compared() const { return places != MeasurePlaces::documents; }
};
MLF_API std::span<const ModuleMeasureInfo> module_measures();

}  // namespace mlf
