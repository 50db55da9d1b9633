// Looks at the dashboard in a real Chromium. Prints a line for each thing that holds, and ends with 1 at the first that does not.
//
//   node dashboard.mjs URL                  the tests
//   node dashboard.mjs URL --screenshots DIR    the pictures of the documentation
import { chromium } from "playwright-core";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [url, mode, folder] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
const complaints = [];

async function viewer(name, password, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    httpCredentials: { username: name, password },
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20000);
  page.on("console", (message) => {
    // A page that was refused on purpose is not a mistake of the dashboard.
    if (message.type() === "error" && !/status of 40[39]/.test(message.text())) complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.message}`));
  return page;
}

// Playwright's own waitForFunction evaluates text, which the page's policy forbids.
async function until(page, condition, argument, seconds = 30) {
  const end = Date.now() + seconds * 1000;
  while (!(await page.evaluate(condition, argument))) {
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${condition}`);
    await new Promise((next) => setTimeout(next, 100));
  }
}

function must(holds, what) {
  if (!holds) throw new Error(what);
  console.log(`ok ${what}`);
}

const pages = ["/", "/subscriptions", "/subscription?name=balances", "/parked", "/parked/key?subscription=balances&target=&key=ACC-1042",
  "/messages?q=ACC-1042", "/leaders", "/relays", "/captures", "/actions", "/confirm?action=retry-all&subscription=balances"];

async function everyView(page) {
  for (const path of pages) {
    await page.goto(url + path);
    must((await page.locator("main").innerText()).length > 20, `${path} shows something`);
    must(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${path} is not wider than the screen`);
  }
}

async function accessibility(page, theme, some) {
  for (const path of some) {
    await page.goto(url + path);
    // Not by a script element, which the page's policy forbids.
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    const serious = found.violations.filter((each) => ["serious", "critical"].includes(each.impact));
    must(serious.length === 0, `${path} has no serious finding of axe (${theme}) ${serious.map((s) => `${s.id}: ${s.nodes[0].html}`).join("; ")}`);
  }
}

async function hostileTextIsText(page) {
  await page.goto(`${url}/parked`);
  await page.locator("tbody th a", { hasText: "<img src=x" }).first().click();
  await page.locator("h1", { hasText: "<img src=x" }).waitFor();
  must((await page.locator("pre.payload", { hasText: "<script>document.title" }).count()) > 0, "a script in a payload is shown as text");
  must((await page.title()).startsWith("Key <img"), "and was not run");
  must((await page.locator("main img").count()) === 0, "an image in a key is shown as text");
}

async function live(page) {
  await page.goto(url + "/");
  await page.locator('#live-state[data-state="on"]').waitFor();
  const before = await page.locator("#r-lanes").innerHTML();
  await until(page, (old) => document.querySelector("#r-subscriptions").innerHTML !== old, await page.locator("#r-subscriptions").innerHTML());
  must(true, "numbers change by themselves");
  must(before.includes("alpha"), "alpha owns lanes");
  await page.locator('button[data-post*="worker=alpha"]', { hasText: "Kill" }).click();
  await until(page, () => {
    const owners = [...document.querySelectorAll('[aria-label="Lanes of balances"] .hidden')].map((each) => each.textContent.trim());
    return owners.length > 0 && !owners.includes("alpha") && !owners.includes("nobody");
  });
  must(true, "the lanes of a process that has gone change their colour while one looks");
  await page.locator("#r-takeovers", { hasText: "alpha" }).waitFor();
  must(true, "the takeover is told");
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  must((await page.locator("#live-state").innerText()) === "Paused while hidden", "a hidden page does not ask");
}

async function act(page, link, reason, verb) {
  await link.click();
  const dialog = page.locator("dialog[open]");
  await dialog.waitFor();
  const impact = await dialog.locator(".impact").innerText();
  await dialog.locator("#reason").fill(reason);
  await dialog.locator("button", { hasText: verb }).click();
  await page.locator(".notice").waitFor();
  return [impact, await page.locator(".notice").innerText()];
}

async function actions(page) {
  await page.goto(`${url}/subscription?name=mails`);
  let [impact, done] = await act(page, page.locator("a.button", { hasText: "Resume" }), "the mail server is back", "Resume");
  must(/rows? wait/.test(impact) && done.includes("goes on"), "a subscription is resumed");
  [impact, done] = await act(page, page.locator("a.button", { hasText: "Pause" }), "once more", "Pause");
  must(impact.includes("begin nothing new") && done.includes("is paused"), "a subscription is paused");

  await page.goto(`${url}/parked/key?subscription=balances&target=&key=ACC-1042`);
  [impact, done] = await act(page, page.locator("a.button", { hasText: "Skip message" }), "agreed with accounting", "Skip for good");
  must(/3 messages of that key go on/.test(impact) && done.includes("is skipped"), "a message is skipped, and the impact was stated");

  await page.goto(`${url}/messages?q=ACC-2077`);
  [impact, done] = await act(page, page.locator("a.button", { hasText: "Redact" }).first(), "a customer asked for it", "Redact for good");
  must(impact.includes("for good") && done.includes("is blanked"), "a payload is redacted");

  await page.goto(`${url}/parked?subscription=balances`);
  await page.evaluate((gremlin) => fetch(gremlin, { method: "POST", headers: { "X-Baton-Csrf": "1" } }), `${url}/stage?gremlin=on`); // cures them
  [impact, done] = await act(page, page.locator(".page-head a.button", { hasText: "Retry them all" }), "the accounts are open again", "Retry");
  must(/tries 3 keys/.test(impact) && /keys? (is|are) tried again/.test(done), "many keys are retried, and the number was stated");
  await page.locator("#r-keys", { hasText: "No key waits." }).waitFor();
  must(true, "and they are gone, seen live");

  await page.goto(`${url}/actions`);
  const told = await page.locator("#r-actions").innerText();
  must(["olga (dashboard)", "skip", "redact", "retry", "pause", "resume", "agreed with accounting"].every((each) => told.includes(each)), "all of it is recorded with who and why");
}

async function readOnly(page) {
  await page.goto(`${url}/subscription?name=balances`);
  must((await page.locator("a.button").count()) === 0, "a reader is offered nothing to do");
  const answer = await page.goto(`${url}/confirm?action=pause&subscription=balances`);
  must(answer.status() === 403, "a reader is refused");
}

async function keyboardAndTheme(page) {
  await page.goto(url + "/");
  await page.keyboard.press("/");
  await page.keyboard.type("ACC-1042");
  await page.keyboard.press("Enter");
  await page.locator("h2", { hasText: "Message" }).first().waitFor();
  must(true, "a message is found by keyboard alone");
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await colour();
  await page.locator("#theme").click();
  must((await colour()) !== before, "light and dark can be switched");
  await page.reload();
  must((await colour()) !== before, "and it stays so");
}

async function weight(page) {
  let bytes = 0;
  page.on("response", async (response) => {
    if (!response.url().includes("/live")) bytes += (await response.body().catch(() => "")).length;
  });
  await page.goto(url + "/", { waitUntil: "load" });
  await page.locator('#live-state[data-state="on"]').waitFor();
  must(bytes > 1000 && bytes < 300000, `a page weighs less than 300 kB: ${bytes}`);
}

async function screenshots() {
  const shots = [["overview", "/", "light"], ["overview-dark", "/", "dark"], ["subscription", "/subscription?name=balances", "light"], ["parked", "/parked/key?subscription=balances&target=&key=ACC-1042", "light"]];
  for (const [name, path, colorScheme] of shots) {
    const page = await viewer("olga", "open sesame", { colorScheme, viewport: { width: 1200, height: 820 } });
    await page.goto(url + path);
    await page.locator('#live-state[data-state="on"]').waitFor();
    // A chart needs some seconds.
    if (name !== "parked") await until(page, () => [...document.querySelectorAll(".chart-line")].some((each) => each.points.numberOfItems > 20), null, 90);
    await page.screenshot({ path: `${folder}/${name}.png` });
    console.log(`ok ${folder}/${name}.png`);
  }
}

try {
  if (mode === "--screenshots") {
    await screenshots();
  } else {
    await weight(await viewer("rita", "just looking"));
    await everyView(await viewer("olga", "open sesame"));
    await everyView(await viewer("olga", "open sesame", { viewport: { width: 390, height: 800 } }));
    await accessibility(await viewer("olga", "open sesame"), "light", pages);
    await accessibility(await viewer("olga", "open sesame", { colorScheme: "dark" }), "dark", ["/", "/parked", "/relays"]);
    await hostileTextIsText(await viewer("olga", "open sesame"));
    await keyboardAndTheme(await viewer("olga", "open sesame"));
    await readOnly(await viewer("rita", "just looking"));
    await live(await viewer("olga", "open sesame"));
    await actions(await viewer("olga", "open sesame"));
    must(complaints.length === 0, `no console errors ${complaints.join("; ")}`);
  }
  console.log("ok all");
} catch (failure) {
  console.log(`FAILED ${failure.message.split("\n").slice(0, 6).join(" | ")}`);
  complaints.forEach((each) => console.log(`console: ${each}`));
  process.exitCode = 1;
} finally {
  await browser.close();
}
