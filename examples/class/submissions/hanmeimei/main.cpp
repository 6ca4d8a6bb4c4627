// Always stays: the smallest program that plays a complete game.
#include <iostream>
#include <string>

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        std::cout << "{\"response\": {\"action\": -1}}\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<" << std::endl;
    }
}
