// pages.mjs PORTS [PATTERN] -- the pages in headless Chromium. PORTS: JSON, { sample: 1234, … }.
// SPDX-License-Identifier: MIT
import { Site, runChecks } from "./browser.mjs";
import { setPorts } from "./every_page.mjs";
import "./walks.mjs";

const ports = JSON.parse(process.argv[2]);
const sites = {};
let passed = false;
setPorts(ports);
process.on("SIGTERM", () => process.exit(1));
try {
  for (const [name, port] of Object.entries(ports)) sites[name] = await Site.open(name, port);
  passed = await runChecks(sites, process.argv[3] ?? "");
} finally {
  for (const site of Object.values(sites)) await site.close();
}
process.exitCode = passed ? 0 : 1;
