// Extras of the pages: suggestions while typing, a button that copies the address of a feed, a watch list that is
// remembered, and links to changes on another part. Everything works without this script.
"use strict";
(() => {
  const home = new URL(document.body.dataset.home, location.href).href;
  const element = (name, attributes, text) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    return made;
  };

  // The reader stays on the host by which this page was reached.
  const historyUrl = (one) =>
    home + "history?class=" + encodeURIComponent(one.class) + "&name=" + encodeURIComponent(one.name);

  // Combobox with a list box, as the ARIA Authoring Practices 1.2 describe it.
  function suggest(input) {
    const form = input.form;
    const field = input.closest(".search");
    const list = element("ul", { id: "suggestions", role: "listbox", "aria-label": "Objects",
                                 class: "suggestions" });
    const status = element("p", { role: "status", class: "unseen" });
    let found = [], chosen = -1, timer = 0, asked = "";
    list.hidden = true;
    field.append(list, status);
    for (const [key, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list",
      "aria-expanded": "false", "aria-controls": list.id })) input.setAttribute(key, value);

    // Drops a question that waits for its time or its answer, which would replace the list or open it again.
    const forget = () => {
      clearTimeout(timer);
      asked = "";
    };
    const close = () => {
      forget();
      list.hidden = true;
      chosen = -1;
      input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    };
    const follow = (one) => {
      close();
      // The reader of a watch list may want to add the object: show it on this page.
      if (form.method === "get") return location.assign(historyUrl(one));
      input.value = one.name;
      if (form.elements.class) form.elements.class.value = one.class;
      form.submit();
    };
    const choose = (index) => {
      forget();
      if (list.children[chosen]) list.children[chosen].setAttribute("aria-selected", "false");
      chosen = index;
      const option = list.children[chosen];
      if (!option) return input.removeAttribute("aria-activedescendant");
      option.setAttribute("aria-selected", "true");
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    };
    const show = (named) => {
      found = named;
      chosen = -1;
      list.replaceChildren(...found.map((one, index) => {
        const option = element("li", { role: "option", id: "suggestion-" + index,
                                       "aria-selected": "false" });
        const name = one.label === one.name ? "" : " " + one.name;
        option.append(element("span", { class: "class" }, one.class), " ", element("bdi", {}, one.label),
                      element("span", { class: "id" }, name));
        option.addEventListener("mousedown", (event) => event.preventDefault());
        option.addEventListener("click", () => follow(one));
        return option;
      }));
      status.textContent = found.length === 1 ? "1 suggestion" : found.length + " suggestions";
      list.hidden = found.length === 0;
      input.setAttribute("aria-expanded", String(!list.hidden));
      input.removeAttribute("aria-activedescendant");
    };
    const ask = async () => {
      const text = input.value.trim();
      if (text === asked && !list.hidden) return;
      if (text.length < 2) return close();
      asked = text;
      const query = new URLSearchParams({ q: text });
      if (form.elements.class && form.elements.class.value)
        query.set("class", form.elements.class.value);
      try {
        const answer = await fetch(document.body.dataset.suggest + "?" + query);
        const named = answer.ok ? await answer.json() : [];
        if (asked === text && document.activeElement === input) show(named);
      } catch {
        if (asked === text) close();  // the form works without suggestions
      }
    };
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(ask, 150);
    });
    input.addEventListener("blur", close);
    input.addEventListener("keydown", (event) => {
      if (list.hidden) {
        if (event.key === "ArrowDown") ask();
        else if (event.key === "Escape") close();
        return;
      }
      const count = found.length;
      if (event.key === "ArrowDown") choose((chosen + 1) % count);
      else if (event.key === "ArrowUp") choose(chosen <= 0 ? count - 1 : chosen - 1);
      else if (event.key === "Escape") close();
      else if (event.key === "Enter" && chosen >= 0) follow(found[chosen]);
      else return;
      event.preventDefault();
    });
  }

  function offerCopy(field) {
    const button = element("button", { type: "button" }, "Copy address");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy address"; }, 2000);
    });
    field.after(button);
  }

  // The URL of its page holds the watch list. Its objects are remembered here, so that a
  // reader can add one from any history page.
  const key = "varve-watch-list:" + home;
  const remembered = () => {
    try {
      const list = JSON.parse(localStorage.getItem(key) || "[]");
      return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
    } catch {
      return [];  // private windows have no storage
    }
  };
  const remember = (list) => {
    try { localStorage.setItem(key, JSON.stringify(list)); } catch { /* none kept, none needed */ }
  };
  const listUrl = (list) =>
    home + "watch?" + list.map((one) => "object=" + encodeURIComponent(one).replace("%3A", ":")).join("&");

  const shown = [...document.querySelectorAll("[name=object][type=checkbox][checked]")];
  if (shown.length > 0) remember(shown.map((box) => box.value));
  for (const link of document.querySelectorAll("[data-watch]"))
    link.href = listUrl([...new Set([...remembered(), new URL(link.href).searchParams.get("object")])]);
  const form = document.querySelector("form.find, form.watching");
  if (form && shown.length === 0 && remembered().length > 0) {
    const line = element("p", {});
    line.append(element("a", { href: listUrl(remembered()) },
                        "Your watch list (" + remembered().length + ")"));
    form.before(line);
  }

  // Feeds link to single changes. If the list shows only a line for their release, follow it.
  const place = location.hash.slice(1);
  const change = /^(.+)-c[0-9]+$/.exec(place);
  const release = change ? change[1] : place;
  const mayBe = document.getElementById(release) || document.querySelector(".pager [rel=next]");
  const query = new URLSearchParams(location.search);
  if (place && mayBe && query.has("name") && location.pathname.endsWith("/history") &&
      !query.has("at") && !document.getElementById(place)) {
    query.delete("page");
    query.set("at", release);
    location.replace(location.pathname + "?" + query + location.hash);
  }

  // Not every browser opens what is folded around the place that an address names.
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const closed = [];
    for (let around = target?.closest("details"); around; around = around.parentElement.closest("details"))
      if (!around.open) closed.push(around);
    for (const each of closed) each.open = true;
    if (closed.length > 0) target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  unfold();

  const input = document.getElementById("q");
  if (input) suggest(input);
  const address = document.getElementById("address");
  if (address && navigator.clipboard) offerCopy(address);
})();
