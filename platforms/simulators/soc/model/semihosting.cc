#include "platforms/simulators/soc/model/semihosting.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

enum Operation : uint32_t {
  kOpen = 0x01,
  kClose = 0x02,
  kWriteCharacter = 0x03,
  kWriteText = 0x04,
  kWrite = 0x05,
  kRead = 0x06,
  kIsError = 0x08,
  kIsTerminal = 0x09,
  kSeek = 0x0A,
  kLength = 0x0C,
  kErrorNumber = 0x13,
  kExit = 0x18,
  kExitExtended = 0x20,
};

constexpr uint32_t kFailed = ~0U;
constexpr uint32_t kPiece = 4096;  // what is moved at once
constexpr uint32_t kExitByApplication = 0x20026;
constexpr uint32_t kOtherReason = 1;  // exit status of a program that ends for any other

// fopen's modes by their numbers, and which stream ":tt" is in each of them.
constexpr std::array<const char *, 12> kModes = {"r",  "rb",  "r+", "r+b", "w",  "wb",
                                                 "w+", "w+b", "a",  "ab",  "a+", "a+b"};

std::FILE *terminal(uint32_t mode) {
  return mode < 4 ? stdin : mode < 8 ? stdout : stderr;
}

}  // namespace

uint32_t Semihosting::call(uint32_t operation, uint32_t parameters) {
  switch (operation) {
    case kOpen:
      return open(parameters);
    case kClose:
      return close(parameters);
    case kWriteCharacter: {
      uint8_t character = 0;
      memory_.read(parameters, &character, 1);
      std::fputc(character, stdout);
      return 0;
    }
    case kWriteText:
      std::fputs(text(parameters).c_str(), stdout);
      return 0;
    case kWrite:
      return write(parameters);
    case kRead:
      return read(parameters);
    case kIsError:
      return static_cast<int32_t>(word(parameters, 0)) < 0 ? 1 : 0;
    case kIsTerminal: {
      std::FILE *const found = file(word(parameters, 0));
      return found == stdin || found == stdout || found == stderr ? 1 : 0;
    }
    case kSeek:
      return seek(parameters);
    case kLength:
      return length(parameters);
    case kErrorNumber:
      return static_cast<uint32_t>(last_error_);
    case kExit:  // on 32 bits the parameter is the reason itself
      exit_status_ = parameters == kExitByApplication ? 0 : kOtherReason;
      return 0;
    case kExitExtended:
      exit_status_ = word(parameters, 0) == kExitByApplication ? word(parameters, 1) : kOtherReason;
      return 0;
    default:
      throw Fault("semihosting has no operation " + std::to_string(operation));
  }
}

uint32_t Semihosting::word(uint32_t parameters, uint32_t index) const {
  std::array<uint8_t, 4> bytes{};
  memory_.read(parameters + 4 * index, bytes.data(), 4);
  return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

std::string Semihosting::text(uint32_t address) const {
  std::string result;
  for (uint8_t character = 0;; ++address) {
    memory_.read(address, &character, 1);
    if (character == 0) {
      return result;
    }
    result += static_cast<char>(character);
  }
}

// Null for a handle that is not open.
std::FILE *Semihosting::file(uint32_t handle) const {
  return handle == 0 || handle > files_.size() ? nullptr : files_[handle - 1].get();
}

std::FILE *Semihosting::file_or_error(uint32_t handle) const {
  std::FILE *const found = file(handle);
  if (found == nullptr) {
    errno = EBADF;
  }
  return found;
}

uint32_t Semihosting::failed() {
  last_error_ = errno;
  return kFailed;
}

uint32_t Semihosting::open(uint32_t parameters) {
  const uint32_t mode = word(parameters, 1);
  if (mode >= kModes.size()) {
    errno = EINVAL;
    return failed();
  }
  const std::string name = text(word(parameters, 0));
  File opened(name == ":tt" ? terminal(mode) : std::fopen(name.c_str(), kModes[mode]));
  if (opened == nullptr) {
    return failed();
  }
  files_.push_back(std::move(opened));
  return static_cast<uint32_t>(files_.size());
}

uint32_t Semihosting::close(uint32_t parameters) {
  const uint32_t handle = word(parameters, 0);
  if (file_or_error(handle) == nullptr) {
    return failed();
  }
  files_[handle - 1].reset();
  return 0;
}

// Like write, returns how many bytes were not transferred.
uint32_t Semihosting::read(uint32_t parameters) {
  const uint32_t address = word(parameters, 1);
  const uint32_t wanted = word(parameters, 2);
  std::FILE *const source = file(word(parameters, 0));
  if (source == nullptr) {
    return wanted;
  }
  std::array<uint8_t, kPiece> piece{};
  uint32_t done = 0;
  while (done < wanted) {
    const size_t got = std::fread(piece.data(), 1, std::min(kPiece, wanted - done), source);
    if (got == 0) {
      break;
    }
    memory_.write(address + done, piece.data(), static_cast<uint32_t>(got));
    done += static_cast<uint32_t>(got);
  }
  return wanted - done;
}

uint32_t Semihosting::write(uint32_t parameters) {
  const uint32_t address = word(parameters, 1);
  const uint32_t wanted = word(parameters, 2);
  std::FILE *const target = file(word(parameters, 0));
  if (target == nullptr) {
    return wanted;
  }
  std::array<uint8_t, kPiece> piece{};
  uint32_t done = 0;
  while (done < wanted) {
    const uint32_t next = std::min(kPiece, wanted - done);
    memory_.read(address + done, piece.data(), next);
    const size_t put = std::fwrite(piece.data(), 1, next, target);
    done += static_cast<uint32_t>(put);
    if (put < next) {
      break;
    }
  }
  return wanted - done;
}

uint32_t Semihosting::seek(uint32_t parameters) {
  std::FILE *const found = file_or_error(word(parameters, 0));
  if (found == nullptr || std::fseek(found, static_cast<long>(word(parameters, 1)), SEEK_SET) != 0) {
    return failed();
  }
  return 0;
}

uint32_t Semihosting::length(uint32_t parameters) {
  std::FILE *const found = file_or_error(word(parameters, 0));
  const long position = found == nullptr ? -1 : std::ftell(found);
  if (position < 0 || std::fseek(found, 0, SEEK_END) != 0) {
    return failed();
  }
  const long end = std::ftell(found);
  std::fseek(found, position, SEEK_SET);
  return static_cast<uint32_t>(end);
}

}  // namespace tinsmith::soc
