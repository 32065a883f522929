// Writes the generated manifests into the tree that is the current directory.
#include <cstdio>
#include <fstream>

#include "manifests/generated_manifests.h"

int main() {
  for (const asyncops::Manifest& manifest : asyncops::GeneratedManifests()) {
    std::ofstream file(manifest.path, std::ios::binary | std::ios::trunc);
    file << manifest.text;
    file.close();
    if (!file) {
      std::fprintf(stderr,
                   "generate_manifests: cannot write %s; run it from the root of the tree\n",
                   manifest.path.c_str());
      return 1;
    }
    std::printf("%s\n", manifest.path.c_str());
  }
  return 0;
}
