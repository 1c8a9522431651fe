// First come, first served: dfrsim simulate --policy pipe:./fcfs ...
// g++ -O2 -std=c++17 -o fcfs fcfs.cpp, with nlohmann-json3-dev of Debian.
#include <deque>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

using nlohmann::json;

struct Waiting {
  std::uint64_t job;
  std::size_t tasks;
};

int main() {
  std::size_t nodes = 0;
  std::set<unsigned> free;
  std::deque<Waiting> queue;
  std::map<std::uint64_t, std::vector<unsigned>> running;
  for (std::string line; std::getline(std::cin, line);) {
    const json message = json::parse(line);
    json answer = json::object();
    if (message["event"] == "begin") {
      nodes = message["nodes"];
      for (unsigned node = 0; node < nodes; ++node) free.insert(node);
    } else if (message["event"] == "decide") {
      json changes = json::array();
      for (const std::uint64_t job : message["completed"]) {
        free.insert(running[job].begin(), running[job].end());
        running.erase(job);
      }
      for (const json &job : message["submitted"]) {
        const Waiting waiting{job["job"], job["tasks"]};
        if (waiting.tasks > nodes)
          changes.push_back({{"do", "reject"}, {"job", waiting.job}});
        else
          queue.push_back(waiting);
      }
      while (!queue.empty() && queue.front().tasks <= free.size()) {
        const Waiting head = queue.front();
        queue.pop_front();
        auto &on = running[head.job];
        on.assign(free.begin(), std::next(free.begin(), head.tasks));
        free.erase(free.begin(), std::next(free.begin(), head.tasks));
        changes.push_back({{"do", "start"}, {"job", head.job}, {"nodes", on}});
      }
      answer["changes"] = changes;
    } else {
      return 0;
    }
    std::cout << answer << std::endl;
  }
}
