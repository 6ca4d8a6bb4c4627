// Replaces the clock by a constant, since the sample program's answers depend on it. The header reads it in `Pacman::seed`.
#include <ctime>

extern "C" std::time_t time(std::time_t *) noexcept { return 1476248040; }
