// The report of verify as a page, of an endpoint that passes and of one that means harm.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { startDevServer } from '../clienttest/node/server.js';
import { inspect, launch, misdeeds } from './browser.js';
import { startModel, submit } from './llm.js';

const run = promisify(execFile);

let browser;
let dir;
let binary;

before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'report-'));
  binary = path.join(dir, 'verify');
  await run('go', ['build', '-o', binary, './internal/cmd/verify'], { cwd: path.join(import.meta.dirname, '..', '..') });
  browser = await launch();
});

after(async () => {
  await browser.close();
  await rm(dir, { recursive: true });
});

/** Runs verify with these variables and no others, and opens its report. */
async function report(t, env, args = []) {
  const file = path.join(dir, `${t.name.replaceAll(/\W+/g, '-')}.html`);
  const { code = 0, stdout, stderr } = await run(binary, [...args, '--html', file], { env, cwd: dir }).catch((error) => error);
  const page = await browser.newPage();
  t.after(() => page.close());
  const wrong = misdeeds(page, 'file://');
  await page.goto(pathToFileURL(file).href);
  return { page, wrong, code, said: stdout + stderr };
}

test('an endpoint that passes', async (t) => {
  const apiKey = 'sk-report-0123456789abcdef';
  const server = await startDevServer({ API_KEY: apiKey });
  t.after(() => server.stop());
  const { page, wrong, code, said } = await report(t, { PORT: new URL(server.baseURL).port });
  assert.equal(code, 0, said);
  assert.match(said, /make run on this machine/);
  assert.match(await page.getByRole('banner').innerText(), /Passed\n/);
  assert.ok(await page.locator('circle').count() > 40);
  assert.ok(!(await page.content()).includes(apiKey));
  const checks = page.locator('details.check');
  assert.equal(await checks.count(), Number(/(\d+) checks: /.exec(said)[1]));
  assert.equal(await page.locator('details[open]').count(), 0);
  const rating = checks.filter({ has: page.getByText('rating scale', { exact: true }) });
  await rating.locator('summary').focus();
  await page.keyboard.press('Enter');
  assert.ok(await rating.getByRole('group', { name: 'Request body' }).first().isVisible());
  await inspect(page, 'report');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), 'rgb(29, 35, 48)', 'ink on paper is dark');
  assert.ok((await page.pdf({ format: 'A4' })).length > 10_000);
  assert.deepEqual(wrong, []);
});

test('an endpoint that means harm', async (t) => {
  const markup = '</pre></style><img src=x onerror="alert(1)"><script>alert(2)</script><svg onload="alert(3)">\u202E';
  const model = await startModel((_, attempt) => (attempt % 2 ? submit({ value: markup }) : { content: markup }));
  t.after(model.stop);
  const { page, wrong, code, said } = await report(t, { BASE_URL: model.baseURL, API_KEY: 'sk-any-0123456789' }, ['--quick']);
  assert.equal(code, 1, said);
  assert.match(await page.getByRole('banner').innerText(), /Failed\n/);
  assert.ok(await page.locator('details[open]').count() > 0, 'what failed is open');
  assert.ok((await page.locator('details[open]').first().innerText()).length > 100);
  assert.ok((await page.locator('main').textContent()).includes('<script>alert(2)'), 'the markup is shown');
  assert.equal(await page.locator('img, script, [onload], [onerror]').count(), 0);
  await inspect(page, 'report-failed');
  assert.deepEqual(wrong, []);
});
