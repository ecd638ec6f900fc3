// precompiled.hpp -- the same as src/precompiled.hpp for the tests, with their libraries.
// SPDX-License-Identifier: MIT
#include "../src/precompiled.hpp"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <rapidcheck.h>
