#include "process/spool.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "support/error.h"
#include "support/sha256.h"

namespace mlf::process {

SpooledBytes Spool::add(const std::function<void(support::ByteSink&)>& write) {
  const std::uint64_t offset = sink_.written();
  // The digest for the manifest is taken on the way: outputs are not read twice.
  support::HashingSink hashing(sink_);
  write(hashing);
  sink_.flush();
  return {offset, sink_.written() - offset, hashing.hex()};
}

void Spool::copy(const SpooledBytes& bytes, support::ByteSink& out) const {
  std::array<char, 65536> buffer;
  for (std::uint64_t done = 0; done < bytes.size;) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size - done, buffer.size()));
    const std::size_t count = file_.read_some_at(bytes.offset + done, buffer.data(), wanted);
    if (count == 0) throw support::Error(ErrorKind::io, "the temporary file was cut short");
    out.write(std::string_view(buffer.data(), count));
    done += count;
  }
}

}  // namespace mlf::process
