#include "program.h"

int main(int argc, char** argv) {
  return mlf::program::run(argc, argv);
}
