// Stays where it is: the least that plays a game to its end.
#include <iostream>
#include <string>

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        std::cout << "{\"response\": {\"action\": -1}}\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<" << std::endl;
    }
}
