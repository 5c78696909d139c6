import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import axe from "axe-core";
import { chromium, type Browser, type Page } from "playwright-core";

/** A mail as the development inbox shows it. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** The staff owner that every server of these tests starts with. */
export const owner = { email: "owner@example.com", password: "a long password" };

/** Server is the real binary on a fresh database, in development mode. */
export interface Server {
  url: string;
  /** Mails to an address, newest first. */
  mails(to: string): Promise<Mail[]>;
  /** Waits for a mail to an address that links to a page, and returns the newest such link. */
  link(to: string, page: string): Promise<string>;
  stop(): Promise<void>;
}

/** startServer starts the binary that UJUMBE_BIN names and waits until it is ready. */
export async function startServer(env: Record<string, string> = {}): Promise<Server> {
  const binary = process.env.UJUMBE_BIN;
  if (!binary) throw new Error("UJUMBE_BIN must name the binary to test; `make e2e` sets it.");
  const folder = mkdtempSync(join(tmpdir(), "ujumbe-e2e-"));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const server = spawn(binary, ["serve"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      UJUMBE_DEV: "on",
      UJUMBE_DATA_DIR: folder,
      UJUMBE_LISTEN: `127.0.0.1:${port}`,
      UJUMBE_PUBLIC_URL: url,
      UJUMBE_STAFF_OWNER_EMAIL: owner.email,
      UJUMBE_STAFF_OWNER_PASSWORD: owner.password,
      ...env,
    },
  });
  let said = "";
  const listen = (chunk: Buffer) => (said = (said + chunk.toString()).slice(-20_000));
  server.stdout.on("data", listen);
  server.stderr.on("data", listen);
  await until("the server is ready", async () => {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}:\n${said}`);
    return (await fetch(`${url}/readyz`).catch(() => null))?.ok;
  });
  const mails = async (to: string) => (await (await fetch(`${url}/dev/mail?format=json&to=${encodeURIComponent(to)}`)).json()) as Mail[];
  return {
    url,
    mails,
    link: (to, page) =>
      until(`a mail to ${to} that links to ${page}`, async () => {
        for (const mail of await mails(to)) {
          const found = mail.text.split(/\s+/).find((word) => word.startsWith(`${url}${page}#`));
          if (found) return found;
        }
        return undefined;
      }),
    stop: async () => {
      await ended(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const exit = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  await exit;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** until asks again and again, for half a minute at most, and returns the first answer that is something. */
export async function until<T>(what: string, ask: () => Promise<T | undefined | null | false>): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await pause(100);
  }
}

/** launch starts Chromium; CHROMIUM may name another one. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-dev-shm-usage",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/**
 * guard fails the test by the returned check when the page met an error of its
 * own, or asked another host for anything.
 */
export function guard(page: Page, url: string): () => void {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    // A refused request is written to the console too; the page tells of it in its own words.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) faults.push(message.text());
  });
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) faults.push(`request to ${request.url()}`);
  });
  return () => {
    if (faults.length) throw new Error(faults.join("\n"));
  };
}

const shots = join(import.meta.dirname, "screenshots");
const wide = { width: 1280, height: 800 };
const phone = { width: 360, height: 740 };

const looks = [
  ["phone", phone, "light", true],
  ["phone-dark", phone, "dark", false],
  ["dark", wide, "dark", true],
  ["light", wide, "light", false],
] as const;

/**
 * look judges a screen the way it is used: in light and dark, wide and on a phone.
 * Each look is checked for sideways scrolling and cut words, and kept as a picture; of a page with
 * thousands of rows, only what is in sight. Two of them are checked for barriers,
 * which have both colours and both widths between them.
 */
export async function look(page: Page, name: string, { fullPage = true, kinds = looks.map(([kind]) => kind) } = {}): Promise<void> {
  mkdirSync(shots, { recursive: true });
  for (const [kind, viewport, colorScheme, judged] of looks.filter(([kind]) => kinds.includes(kind))) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate("scrollTo(0, 0)"); // else the header is pictured where one had scrolled to
    await pause(150); // the page follows the medium in a frame or two
    await page.screenshot({ path: join(shots, `${name}-${kind}.png`), fullPage });
    const problems = [...(judged ? await barriers(page) : []), ...(await overflow(page)), ...(await clipped(page))];
    if (problems.length) throw new Error(`${name} (${kind}):\n${problems.join("\n")}`);
  }
}

/** barriers are the serious and critical findings of axe. */
async function barriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const found = (await page.evaluate("axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })")) as axe.AxeResults;
  return found.violations
    .filter((violation) => violation.impact === "serious" || violation.impact === "critical")
    .flatMap((violation) => violation.nodes.map((node) => `${violation.id}: ${violation.help}\n  ${node.html}\n  ${node.failureSummary ?? ""}`));
}

async function overflow(page: Page): Promise<string[]> {
  const beyond = (await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")) as number;
  return beyond > 0 ? [`the page is ${beyond} px wider than the screen`] : [];
}

/** clipped are buttons, links and headings whose words are cut off without a sign. */
async function clipped(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("button, a, h1, h2, h3, label, th, [role=columnheader], [class*='-label']")]
      .filter((element) => {
        const style = getComputedStyle(element);
        const cut = element.scrollWidth > element.clientWidth + 1 && style.overflowX !== "visible" && style.textOverflow !== "ellipsis";
        return cut && element.clientWidth > 1 && element.textContent !== "";
      })
      .map((element) => `cut off: ${element.textContent}`),
  );
}
