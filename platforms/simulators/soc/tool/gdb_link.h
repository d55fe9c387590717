// Packets of GDB's remote serial protocol over a socket or the standard streams.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_GDB_LINK_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_GDB_LINK_H_

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace tinsmith::soc {

// The link cannot be opened.
class NoLink : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class GdbLink {
 public:
  // Payloads in either direction are no longer than this.
  static constexpr size_t kMostBytes = 0x4000;

  // "stdio", or a port of 127.0.0.1 (0 is any; it is told on stderr), where this waits for the debugger.
  // On the standard streams, what else goes to stdout is sent to stderr from now on.
  explicit GdbLink(const std::string &where);
  ~GdbLink();
  GdbLink(const GdbLink &) = delete;
  GdbLink &operator=(const GdbLink &) = delete;

  // Waits for the next packet, acknowledges it, and returns its payload; nothing if the debugger is gone.
  // Packets with a wrong checksum are asked for again; one longer than allowed comes out empty.
  std::optional<std::string> receive();

  void send(const std::string &payload);

  // True if the debugger has asked to interrupt, or is gone. Does not wait.
  bool interrupted();

  // From the next packet on, nothing is acknowledged.
  void stop_acknowledging() {
    acknowledges_ = false;
  }

  // Lets the debugger read what was sent, and closes.
  void close();

 private:
  void listen(const std::string &port);
  void use_standard_streams();
  bool fill(int milliseconds);
  std::optional<char> take();
  std::string take_payload(bool &is_good);
  void write(const std::string &bytes);

  int in_ = -1;
  int out_ = -1;
  bool acknowledges_ = true;
  std::string received_;  // and not yet taken, from `next_` on
  size_t next_ = 0;
  std::string sent_;  // the last packet, for a debugger that asks for it again
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_GDB_LINK_H_
