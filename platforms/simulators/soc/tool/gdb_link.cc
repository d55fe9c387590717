#include "platforms/simulators/soc/tool/gdb_link.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <numeric>

#include "platforms/simulators/soc/tool/gdb_text.h"

namespace tinsmith::soc {
namespace {

constexpr char kInterrupt = 3;
constexpr int kForEver = -1;
constexpr int kFarewellMilliseconds = 1000;

[[noreturn]] void fail(const std::string &what) {
  throw NoLink("--gdb: " + what + ": " + std::strerror(errno));
}

uint16_t parse_port(const std::string &text) {
  const bool is_number = !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || std::stoul(text) > UINT16_MAX) {
    throw NoLink("--gdb: '" + text + "' is neither stdio nor a port");
  }
  return static_cast<uint16_t>(std::stoul(text));
}

uint8_t add_to_checksum(uint8_t sum, char c) {
  return static_cast<uint8_t>(sum + static_cast<uint8_t>(c));
}

}  // namespace

GdbLink::GdbLink(const std::string &where) {
  std::signal(SIGPIPE, SIG_IGN);  // a debugger that is gone shows when its link is read
  if (where == "stdio") {
    use_standard_streams();
  } else {
    listen(where);
  }
}

GdbLink::~GdbLink() {
  close();
}

void GdbLink::use_standard_streams() {
  in_ = dup(STDIN_FILENO);
  out_ = dup(STDOUT_FILENO);
  const int nothing = open("/dev/null", O_RDONLY);
  if (in_ < 0 || out_ < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    fail("the standard streams cannot be used");
  }
  ::close(nothing);
}

void GdbLink::listen(const std::string &port) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address = {};
  socklen_t size = sizeof(address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(parse_port(port));
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  if (listener < 0 || bind(listener, generic, size) != 0 || ::listen(listener, 1) != 0 ||
      getsockname(listener, generic, &size) != 0) {
    fail("port " + port + " of 127.0.0.1 cannot be used");
  }
  std::cerr << "soc: waiting for a debugger: target remote 127.0.0.1:" << ntohs(address.sin_port) << std::endl;
  in_ = accept(listener, nullptr, nullptr);
  ::close(listener);
  out_ = in_ < 0 ? -1 : dup(in_);
  if (out_ < 0) {
    fail("no debugger came");
  }
  setsockopt(in_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

// Reads what has come; false if nothing came in time, or never will.
bool GdbLink::fill(int milliseconds) {
  pollfd waiting = {in_, POLLIN, 0};
  if (in_ < 0 || poll(&waiting, 1, milliseconds) <= 0) {
    return false;
  }
  char bytes[4096];
  const ssize_t count = read(in_, bytes, sizeof(bytes));
  if (count <= 0) {
    ::close(in_);
    in_ = -1;
    return false;
  }
  received_.erase(0, next_);
  next_ = 0;
  received_.append(bytes, static_cast<size_t>(count));
  return true;
}

std::optional<char> GdbLink::take() {
  if (next_ == received_.size() && !fill(kForEver)) {
    return std::nullopt;
  }
  return received_[next_++];
}

std::optional<std::string> GdbLink::receive() {
  for (;;) {
    const std::optional<char> c = take();
    if (!c) {
      return std::nullopt;
    }
    if (c == '-' && acknowledges_) {
      write(sent_);
    }
    if (c != '$') {
      continue;  // acknowledgements, interrupts that come too late, noise
    }
    bool is_good = false;
    const std::string payload = take_payload(is_good);
    if (acknowledges_) {
      write(is_good ? "+" : "-");
    }
    if (is_good) {
      return payload.size() <= kMostBytes ? payload : "";
    }
  }
}

// From behind the '$' to the end of the checksum.
std::string GdbLink::take_payload(bool &is_good) {
  std::string payload;
  uint8_t sum = 0;
  std::optional<char> c;
  while ((c = take()) && c != '#') {
    if (c == '$') {  // the packet before was cut off
      payload.clear();
      sum = 0;
      continue;
    }
    sum = add_to_checksum(sum, *c);
    if (payload.size() <= kMostBytes) {
      payload += *c;
    }
  }
  const std::optional<char> high = take();
  const std::optional<char> low = take();
  is_good = low && parse_hex({*high, *low}) == sum;
  return payload;
}

void GdbLink::send(const std::string &payload) {
  sent_ = "$" + payload + "#" + to_hex(std::accumulate(payload.begin(), payload.end(), uint8_t{0}, add_to_checksum));
  write(sent_);
}

bool GdbLink::interrupted() {
  while (fill(0)) {
  }
  if (in_ < 0) {
    return true;
  }
  const size_t found = received_.find(kInterrupt, next_);
  if (found != std::string::npos) {
    next_ = found + 1;
  }
  return found != std::string::npos;
}

void GdbLink::write(const std::string &bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(out_, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR) {
      return;  // the debugger is gone: `receive` will say so
    }
    done += count > 0 ? static_cast<size_t>(count) : 0;
  }
}

void GdbLink::close() {
  if (out_ >= 0) {
    shutdown(out_, SHUT_WR);
    ::close(out_);
    out_ = -1;
    while (fill(kFarewellMilliseconds)) {
    }
  }
  if (in_ >= 0) {
    ::close(in_);
    in_ = -1;
  }
}

}  // namespace tinsmith::soc
