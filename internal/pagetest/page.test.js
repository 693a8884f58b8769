// The page of the dev server, in front of the baseline model.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, beforeEach, afterEach, test } from 'node:test';
import { promisify } from 'node:util';

import { startDevServer } from '../clienttest/node/server.js';
import { inspect, launch, misdeeds } from './browser.js';

const apiKey = 'sk-page-0123456789abcdef';

let server;
let browser;
let context;
let page;
let wrong;

before(async () => {
  server = await startDevServer({ API_KEY: apiKey, MODELS: 'chance=baseline:random,other=baseline:random' });
  browser = await launch();
});

after(async () => {
  await browser.close();
  await server.stop();
});

beforeEach(async () => {
  context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  page = await context.newPage();
  const { origin } = new URL(server.baseURL);
  wrong = misdeeds(page, origin);
  await page.goto(`${origin}/`);
  await page.waitForFunction(() => document.getElementById('body').value !== '');
});

afterEach(() => context.close());

const status = () => page.getByRole('region', { name: 'Answer', exact: true }).getByRole('status');
const body = () => page.getByRole('textbox', { name: 'Body of the request' });

/** Sends the request on the page and waits for its verdict. */
async function send() {
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('#status[data-verdict="passed"], #status[data-verdict="failed"]').waitFor();
  return status().textContent();
}

test('the connection', async () => {
  const connection = page.getByRole('region', { name: 'Connection' });
  for (const text of [server.baseURL, apiKey, 'chance', 'other']) assert.ok((await connection.innerText()).includes(text), text);
  await connection.getByRole('button', { name: 'Copy the API key' }).click();
  await connection.getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(await page.locator('#notice').textContent(), 'Copied');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), apiKey);
  await inspect(page, 'page');
  assert.deepEqual(wrong, []);
});

test('every screen gets an answer that passes', async () => {
  const screens = await page.locator('#screen option').evaluateAll((options) => options.map((o) => o.value));
  assert.ok(screens.length > 12 && screens.at(-1) === '', screens.join());
  for (const [i, screen] of screens.slice(0, -1).entries()) {
    const before = i > 0 ? await body().inputValue() : '';
    await page.getByLabel('Screen').selectOption(screen);
    await page.waitForFunction((text) => document.getElementById('body').value !== text, before);
    assert.match(await send(), /^(Valid|Text as the model wrote it)/, screen);
    assert.equal(await page.locator('#rows tr').count(), i + 1);
  }
  assert.equal(await page.locator('#rows td:nth-child(3)', { hasText: 'failed' }).count(), 0);
  await inspect(page, 'screens');
  assert.deepEqual(wrong, []);
});

test('the picture is shown', async () => {
  await page.getByLabel('Screen').selectOption('picture');
  const picture = page.getByAltText('Picture 1 of the request');
  await picture.waitFor();
  assert.equal(await picture.evaluate(async (img) => {
    await img.decode();
    return img.naturalWidth;
  }), 96);
  await inspect(page, 'picture');
  assert.deepEqual(wrong, []);
});

test('a request that is pasted, and what is wrong with it', async () => {
  await page.getByLabel('Screen').selectOption({ label: 'A request that you paste' });
  assert.equal(await body().inputValue(), '');
  assert.ok(await body().evaluate((e) => e === document.activeElement), 'the focus is in the field');
  await body().fill('{"model": "default", "messages": [');
  assert.match(await send(), /^Error 400 invalid_json, after \d+ ms\.$/);
  assert.match(await page.locator('#said').innerText(), /JSON/);
  await inspect(page, 'error');
  await body().fill('{"model": "default", "messages": [{"role": "user", "content": "Hi"}], "stream": true, "stream_options": {"include_usage": true}}');
  assert.match(await send(), /^Text as the model wrote it/);
  assert.match(await page.locator('#facts').innerText(), /baseline:random/);
  assert.match(await page.locator('#raw').textContent(), /\ndata: \[DONE\]/);
  assert.deepEqual(wrong.filter((what) => !what.includes('400 (Bad Request)')), []);
});

test('the model', async () => {
  await page.getByLabel('Model').selectOption('other');
  assert.equal(JSON.parse(await body().inputValue()).model, 'other');
  await page.getByLabel('Screen').selectOption('likert');
  await page.waitForFunction(() => document.getElementById('body').value.includes('likertscale'));
  assert.equal(JSON.parse(await body().inputValue()).model, 'other');
});

test('without a mouse', async () => {
  await page.locator('body').press('Tab');
  const seen = [];
  for (let i = 0; i < 12; i += 1) {
    const { name, outline } = await page.evaluate(() => ({
      name: document.activeElement.id || document.activeElement.textContent,
      outline: getComputedStyle(document.activeElement).outlineStyle,
    }));
    seen.push(name);
    assert.equal(outline, 'solid', `${name} shows no focus`);
    if (name === 'send') break;
    await page.keyboard.press('Tab');
  }
  assert.deepEqual(seen, ['Copy the base URL', 'Copy the API key', 'screen', 'model', 'body', 'send']);
  await page.keyboard.press('Enter');
  await page.locator('#status[data-verdict="passed"]').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'send', 'the focus stays');
  await page.keyboard.press('Control+Enter');
  await page.locator('#rows tr').nth(1).waitFor();
});

test('the curl command', async () => {
  await body().fill('{"messages": [{"role": "user", "content": "It\'s $HOME and \\"more\\""}]}');
  await page.getByRole('button', { name: 'Copy as a curl command' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  assert.equal(JSON.parse(stdout).model, 'baseline:random');
});

test('in forced colours and without motion', async () => {
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  assert.match(await send(), /^Valid/);
});
