// subscriber.mjs TOPIC HUB -- subscribes with npm's pubsubhubbub, and prints a JSON document a line for each event:
// {"event":"listen"|"accepted"|"subscribe"|"feed"|"unsubscribe"|"denied", …}. "unsubscribe" on standard input
// unsubscribes; its end ends the program.
// SPDX-License-Identifier: MIT
import { createInterface } from "node:readline";
import pubsubhubbub from "pubsubhubbub";

const [topic, hub] = process.argv.slice(2);
const say = (event, more = {}) => console.log(JSON.stringify({ event, ...more }));
const subscriber = pubsubhubbub.createServer({});
const ask = (mode) => subscriber[mode](topic, hub, (error) => say(error ? "refused" : "accepted",
                                                                 { mode, reason: error?.responseBody }));

subscriber.on("listen", () => {
  const { address, port } = subscriber.server.address();
  subscriber.callbackUrl = `http://${address}:${port}/in?reader=npm`;
  say("listen");
  ask("subscribe");
});
for (const event of ["subscribe", "unsubscribe", "denied", "error"])
  subscriber.on(event, (data) => say(event, { topic: data.topic, lease: data.lease }));
subscriber.on("feed", (data) => say("feed", { topic: data.topic, hub: data.hub, body: data.feed.toString("utf8"),
                                              type: data.headers["content-type"], link: data.headers.link }));
subscriber.listen(0, "127.0.0.1");
for await (const line of createInterface({ input: process.stdin })) ask(line);
process.exit(0);
