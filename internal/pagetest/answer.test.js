// The page of the dev server, in front of models that behave badly.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

import { startDevServer } from '../clienttest/node/server.js';
import { inspect, launch, misdeeds } from './browser.js';
import { startModel, submit } from './llm.js';

let browser;

before(async () => (browser = await launch()));
after(() => browser.close());

/** Opens the page of a dev server in front of a model that answers so. */
async function open(t, answer, env = {}) {
  const model = await startModel(answer);
  t.after(model.stop);
  const server = await startDevServer({ MODELS: 'model=external:model-under-test', EXTERNAL_BASE_URL: model.baseURL, ...env });
  let stopped;
  const stop = () => (stopped ??= server.stop());
  t.after(stop);
  const page = await browser.newPage();
  t.after(() => page.close());
  const { origin } = new URL(server.baseURL);
  const wrong = misdeeds(page, origin);
  await page.goto(`${origin}/`);
  await page.waitForFunction(() => document.getElementById('body').value !== '');
  return { page, wrong, stop };
}

const settled = (page, verdict) => page.locator(`#status[data-verdict="${verdict}"]`).waitFor();

/** The facts about an answer, by name. */
const facts = async (page) => Object.fromEntries(await page.locator('#facts div').evaluateAll((list) => list.map((e) => [...e.children].map((c) => c.textContent))));

test('an answer that was put back, and mended', async (t) => {
  const { page, wrong } = await open(t, (_, attempt) => (attempt === 1 ? submit({ value: 101 }) : submit({ value: '72' })));
  await page.getByRole('button', { name: 'Send' }).click();
  await settled(page, 'passed');
  assert.match(await page.locator('#status').textContent(), /^Valid: one call of submit_response, after /);
  const { Attempts, Mended, Tokens } = await facts(page);
  assert.deepEqual({ Attempts, Mended, Tokens }, { Attempts: '2', Mended: 'number_string', Tokens: '40 in, 10 out' });
  assert.equal(await page.locator('#said pre').textContent(), '{"value":72}');
  await inspect(page, 'mended');
  assert.deepEqual(wrong, []);
});

test('a model that does not decide', async (t) => {
  const { page } = await open(t, () => ({ content: 'I feel calm.' }), { MAX_REASKS: '1' });
  await page.getByRole('button', { name: 'Send' }).click();
  await settled(page, 'failed');
  assert.match(await page.locator('#status').textContent(), /^Error 502 no_tool_call, after /);
  assert.equal((await facts(page)).Attempts, '2');
});

test('an answer that is not judged is shown', async (t) => {
  const { page } = await open(t, () => submit({ value: 72 }));
  await page.route('**/page/verdict', (route) => route.fulfill({ status: 500 }));
  await page.getByRole('button', { name: 'Send' }).click();
  await settled(page, 'failed');
  assert.match(await page.locator('#status').textContent(), /^Answered, but not judged, after /);
  assert.match(await page.locator('#faults').textContent(), /status 500/);
  assert.equal(await page.locator('#said pre').textContent(), '{"value":72}');
});

test('markup that a model wrote stays text', async (t) => {
  const markup = '</pre><img src=x onerror="alert(1)"><script>alert(2)</script><!--';
  const { page, wrong } = await open(t, () => ({ content: markup, reasoning_content: markup, ...submit({ value: 1 }) }));
  await page.getByLabel('Screen').selectOption('text');
  await page.waitForFunction(() => document.getElementById('body').value.includes('textinput'));
  await page.getByRole('textbox', { name: 'Body of the request' }).fill(JSON.stringify({
    messages: [{ role: 'user', content: markup }], tools: [{ type: 'function', function: { name: 'submit_response', description: markup, parameters: { type: 'object', properties: { value: { type: 'integer' } } } } }],
  }));
  await page.getByRole('button', { name: 'Send' }).click();
  await settled(page, 'passed');
  assert.deepEqual(await page.locator('#said pre').allTextContents(), ['{"value":1}', markup, markup]);
  assert.equal(await page.locator('img, script:not([src])').count(), 0);
  await page.getByText('Reasoning', { exact: true }).click();
  await page.getByText('The whole response').click();
  await page.getByText('The request as it was sent').click();
  await inspect(page, 'hostile');
  assert.deepEqual(wrong, []);
});

test('waiting, and no longer', async (t) => {
  const { promise: hungUp, resolve } = Promise.withResolvers?.() ?? deferred();
  const { page, stop } = await open(t, () => hungUp);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Waiting for the answer').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Send' }).getAttribute('aria-disabled'), 'true');
  await inspect(page, 'waiting');
  await page.getByRole('button', { name: 'Stop waiting' }).click();
  await settled(page, 'failed');
  assert.match(await page.locator('#status').textContent(), /^You stopped waiting/);
  assert.equal(await page.getByRole('button', { name: 'Send' }).getAttribute('aria-disabled'), null);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'send');
  resolve({});
  await stop();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Is it still running?').waitFor();
});

test('a key that is kept in Secrets Manager is typed', async (t) => {
  const secrets = createServer((_, response) => response.end(JSON.stringify({ SecretString: 'sk-kept' })));
  await once(secrets.listen(0, '127.0.0.1'), 'listening');
  t.after(() => secrets.close());
  const { page } = await open(t, () => submit({ value: 1 }), {
    API_KEY_SECRET: 'callers', AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'example',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${secrets.address().port}`,
  });
  assert.ok(!(await page.content()).includes('sk-kept'));
  await page.getByRole('button', { name: 'Send' }).click();
  await settled(page, 'failed');
  assert.match(await page.locator('#status').textContent(), /^Error 401 invalid_api_key/);
  await page.getByLabel('API key').fill('sk-kept');
  await page.getByLabel('API key').press('Control+Enter');
  await settled(page, 'passed');
  await inspect(page, 'typed-key');
});

/** Promise.withResolvers, which Node.js has from 22 on. */
function deferred() {
  let resolve;
  const promise = new Promise((r) => (resolve = r));
  return { promise, resolve };
}
