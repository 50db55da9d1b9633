// Keeps a page up to date while it is visible, shows times as people say them, and opens questions in a dialog.
// Without it every page still works; it is then as old as its last reload.
"use strict";

const base = document.querySelector('meta[name="base"]').content;
const state = document.getElementById("live-state");

// Times -------------------------------------------------------------------------------------------------------------

function distance(seconds) {
  if (seconds < 1) return "now";
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

let ahead = 0; // how far the database's clock is ahead of this one

function shown(time) {
  const at = new Date(time.dateTime);
  const seconds = (Date.now() + ahead - at) / 1000;
  if (time.dataset.shown === "clock") {
    const day = seconds > 64800 ? `${at.toLocaleDateString()} ` : "";
    return day + at.toLocaleTimeString([], { hour12: false }) + "." + String(at.getMilliseconds()).padStart(3, "0");
  }
  if (time.dataset.shown === "when" && seconds < 0) return `in ${distance(-seconds)}`;
  const text = distance(Math.max(0, seconds));
  return text === "now" ? (time.dataset.shown === "when" ? "now" : "just now") : `${text} ago`;
}

function showTimes(root) {
  for (const time of root.querySelectorAll("time[data-shown]")) {
    const text = shown(time);
    if (time.textContent !== text) time.textContent = text;
  }
}

// Changing a region without losing the focus, an open detail, or the transition of a colour --------------------------

function morph(old, wanted) {
  const a = [...old.childNodes];
  const b = [...wanted.childNodes];
  for (let i = 0; i < b.length; i++) {
    const is = a[i];
    const next = b[i];
    if (!is) {
      old.append(next);
    } else if (is.nodeType !== next.nodeType || is.nodeName !== next.nodeName || is.id !== next.id) {
      is.replaceWith(next);
    } else if (is.nodeType === Node.TEXT_NODE) {
      if (is.data !== next.data) is.data = next.data;
    } else {
      attributes(is, next);
      if (is.nodeName === "TIME") is.textContent = shown(is);
      else morph(is, next);
    }
  }
  for (let i = b.length; i < a.length; i++) a[i].remove();
}

function attributes(is, next) {
  for (const { name, value } of [...next.attributes]) {
    if (is.getAttribute(name) !== value) is.setAttribute(name, value);
  }
  for (const { name } of [...is.attributes]) {
    if (!next.hasAttribute(name) && name !== "open") is.removeAttribute(name);
  }
}

function change(id, html) {
  const region = document.getElementById(`r-${id}`);
  if (!region) return;
  const parsed = new DOMParser().parseFromString(`<div>${html}</div>`, "text/html").body.firstChild;
  showTimes(parsed);
  morph(region, parsed);
}

// Live ---------------------------------------------------------------------------------------------------------------

let events = null;

function say(word, text) {
  state.dataset.state = word;
  if (state.textContent !== text) state.textContent = text;
}

function open() {
  if (events || document.hidden) return;
  const view = location.pathname.slice(base.length) + location.search;
  const source = new EventSource(`${base}/live?view=${encodeURIComponent(view)}`);
  events = source;
  events.addEventListener("region", (event) => {
    const region = JSON.parse(event.data);
    change(region.id, region.html);
  });
  events.addEventListener("beat", (event) => {
    const beat = JSON.parse(event.data);
    ahead = new Date(beat.at) - Date.now();
    const badge = document.getElementById("badge");
    if (badge) {
      badge.hidden = beat.parked === "";
      badge.textContent = beat.parked;
    }
    if (beat.answers) say("on", "Live"); else say("away", "The database does not answer");
  });
  events.addEventListener("away", () => say("away", "The database does not answer"));
  events.addEventListener("again", () => reopen(source, 0)); // the server asks anew who looks
  events.onerror = () => {
    say("away", "No answer; trying again …");
    if (source.readyState === EventSource.CLOSED) reopen(source, 10000); // refused: the browser does not try again by itself
  };
}

function reopen(source, after) {
  source.close();
  if (events === source) events = null;
  setTimeout(open, after);
}

function close(text) {
  if (events) events.close();
  events = null;
  say("off", text);
}

if (document.body.dataset.live === "yes") {
  document.addEventListener("visibilitychange", () => (document.hidden ? close("Paused while hidden") : open()));
  window.addEventListener("pagehide", () => close("Paused"));
  window.addEventListener("pageshow", open);
  open();
}
setInterval(() => { if (!document.hidden) showTimes(document); }, 1000);
showTimes(document);

// Light and dark -----------------------------------------------------------------------------------------------------

const root = document.documentElement;
const chosen = localStorage.getItem("baton-theme");
if (chosen) root.dataset.theme = chosen;
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("baton-theme", root.dataset.theme);
});

// Questions and deeds ------------------------------------------------------------------------------------------------

const dialog = document.getElementById("dialog");

async function ask(link) {
  const answer = await fetch(link, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const question = page.getElementById("confirm") || page.querySelector("main .panel");
  dialog.replaceChildren(question);
  dialog.showModal();
  const reason = dialog.querySelector("#reason");
  if (reason) reason.focus();
}

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-dialog], [data-close], [data-post]");
  if (!target || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (target.hasAttribute("data-dialog")) {
    event.preventDefault();
    ask(target.href).catch(() => location.assign(target.href));
  } else if (target.hasAttribute("data-close") && dialog.open) {
    event.preventDefault();
    dialog.close();
  } else if (target.hasAttribute("data-post")) {
    fetch(target.dataset.post, { method: "POST", headers: { "X-Baton-Csrf": "1" } })
      .then(async (answer) => say(answer.ok ? "on" : "away", await answer.text()));
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.nodeName)) {
    event.preventDefault();
    document.getElementById("q").focus();
  }
});
