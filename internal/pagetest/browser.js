// A real Chromium, and what is asked of every page in it.

import assert from 'node:assert/strict';
import { accessSync, constants } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import { chromium } from 'playwright-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const shots = path.join(import.meta.dirname, 'screenshots');

/** The widths that a page is looked at in, in CSS pixels: a phone and a laptop. */
export const widths = [390, 1280];

/**
 * Starts the Chromium that CHROMIUM names or that is on PATH, and Chrome where there is neither.
 *
 * @param {string[]} args further arguments of its command line
 */
export function launch(args = []) {
  const executablePath = process.env.CHROMIUM || onPath('chromium', 'chromium-browser', 'google-chrome');
  return chromium.launch(executablePath ? { args, executablePath } : { args, channel: 'chrome' });
}

function onPath(...names) {
  const files = names.flatMap((name) => process.env.PATH.split(path.delimiter).map((dir) => path.join(dir, name)));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Checks that a page can be used by everybody, in light and dark and at each
 * width, and keeps a picture of each for people to look at.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} name of the pictures
 */
export async function inspect(page, name) {
  await mkdir(shots, { recursive: true });
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
      const what = `${name}-${width}-${colorScheme}`;
      await page.screenshot({ path: path.join(shots, `${what}.png`), fullPage: true });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${what} is wider than its window`);
      assert.deepEqual(await violations(page), [], what);
    }
  }
}

/** What axe-core finds wrong, with the elements that it finds it at. */
async function violations(page) {
  // Evaluated by the debugger, which a page's content policy does not stop.
  await page.evaluate(await readFile(axe, 'utf8'));
  const { violations: found, passes } = await page.evaluate(() => window.axe.run());
  assert.ok(passes.length > 10, 'axe-core looked at nothing');
  return found.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
}

/**
 * Collects what a page should not do: write to the console, throw, or ask
 * another origin for anything.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} origin
 * @returns {string[]} which fills as the page works
 */
export function misdeeds(page, origin) {
  const list = [];
  page.on('console', (message) => list.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => list.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    list.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) list.push(`request: ${request.url()}`);
  });
  return list;
}
