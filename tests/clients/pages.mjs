// pages.mjs PORTS [PATTERN] -- the pages in headless Chromium. PORTS: JSON, { sample: 1234, … }.
// SPDX-License-Identifier: MIT
import { Site, launch, runChecks } from "./browser.mjs";
import "./every_page.mjs";
import "./walks.mjs";

const ports = JSON.parse(process.argv[2]);
let passed = false;
process.on("SIGTERM", () => process.exit(1));
const browser = await launch(ports);
try {
  const sites = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, new Site(browser, name, port)]));
  passed = await runChecks(sites, process.argv[3] ?? "");
} finally {
  await browser.close();
}
process.exitCode = passed ? 0 : 1;
