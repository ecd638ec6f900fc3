// The only file that includes Catch2's header (v2 in Debian 12).
// SPDX-License-Identifier: MIT
#pragma once
#include <catch2/catch.hpp>
