// Sends a request to the endpoint and shows what came back. Whatever a model or
// a person wrote is set as text and never as markup.

'use strict';

const $ = (id) => document.getElementById(id);

const screen = $('screen');
const model = $('model');
const body = $('body');

let waiting; // the AbortController of the request under way
let count = 0;

/** Makes an element with a text and children. */
function element(name, text = '', ...children) {
  const made = document.createElement(name);
  made.textContent = text;
  made.append(...children);
  return made;
}

const key = () => ($('key') ? $('key').textContent : $('typed-key').value.trim());

const decimals = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** A time in words a person measures in: 12 ms, 3.4 s. */
const duration = (ms) => (ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${decimals.format(ms / 1000)} s`);

function say(text, verdict = '') {
  $('status').textContent = text;
  $('status').dataset.verdict = verdict;
}

/** Puts the chosen model's name where the request has one. */
function named(text) {
  return text.replace(/("model"\s*:\s*)"(?:[^"\\]|\\.)*"/, (_, before) => before + JSON.stringify(model.value));
}

async function choose() {
  $('about').textContent = screen.selectedOptions[0].dataset.about;
  if (!screen.value) {
    fill('');
    body.focus();
    return;
  }
  const name = screen.value;
  const response = await fetch(`/page/screens/${name}.json`);
  const text = await response.text();
  if (screen.value === name) fill(named(text.trimEnd()));
}

function fill(text) {
  body.value = text;
  showPictures();
}

/** Shows the pictures that the request carries, as the agent sees them. */
function showPictures() {
  let parts = [];
  try {
    parts = JSON.parse(body.value).messages.flatMap((message) => (Array.isArray(message.content) ? message.content : []));
  } catch {
    // being typed
  }
  const urls = parts.map((part) => part?.image_url?.url).filter((url) => /^data:image\//.test(url));
  $('pictures').replaceChildren(...urls.map((url, i) => {
    const picture = element('img');
    picture.src = url;
    picture.alt = `Picture ${i + 1} of the request`;
    return picture;
  }));
  $('pictures').hidden = urls.length === 0;
}

async function send() {
  if (waiting) return;
  const request = { title: screen.selectedOptions[0].textContent, text: body.value };
  waiting = new AbortController();
  $('send').setAttribute('aria-disabled', 'true'); // and not disabled, which would take the focus away
  $('stop').hidden = false;
  say('Waiting for the answer …', 'waiting');
  const began = performance.now();
  try {
    const response = await fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { Authorization: `Bearer ${key()}`, 'Content-Type': 'application/json' },
      body: request.text,
      signal: waiting.signal,
    });
    const text = await response.text();
    await show(request, response, text, performance.now() - began);
  } catch (error) {
    $('result').hidden = true;
    say(error.name === 'AbortError' ? 'You stopped waiting. The endpoint has stopped too.' : `No answer: the server cannot be reached (${error.message}). Is it still running?`, 'failed');
  } finally {
    waiting = undefined;
    $('send').removeAttribute('aria-disabled');
    if (document.activeElement === $('stop')) $('send').focus(); // what is hidden cannot keep it
    $('stop').hidden = true;
  }
}

/** Reads a response: a completion, an error, or a stream of chunks. */
function read(response, text) {
  if (response.headers.get('Content-Type')?.startsWith('text/event-stream')) return assemble(text);
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Makes a completion of the chunks of a stream. */
function assemble(text) {
  const message = { role: 'assistant', content: null };
  const whole = { object: 'chat.completion', choices: [{ index: 0, message }] };
  for (const [, data] of text.matchAll(/^data: (\{.*)$/gm)) {
    const chunk = JSON.parse(data);
    if (chunk.error) return chunk;
    Object.assign(whole, { id: chunk.id, created: chunk.created, model: chunk.model }, chunk.usage && { usage: chunk.usage });
    const choice = chunk.choices[0];
    if (!choice) continue;
    const { content, refusal, reasoning_content: reasoning, tool_calls: calls } = choice.delta;
    if (content) message.content = (message.content ?? '') + content;
    if (refusal) message.refusal = (message.refusal ?? '') + refusal;
    if (reasoning) message.reasoning_content = (message.reasoning_content ?? '') + reasoning;
    for (const { index, ...call } of calls ?? []) {
      message.tool_calls ??= [];
      if (message.tool_calls[index]) message.tool_calls[index].function.arguments += call.function.arguments;
      else message.tool_calls[index] = call;
    }
    whole.choices[0].finish_reason ??= choice.finish_reason;
  }
  return whole;
}

/** Has the server judge the answer by the request. */
async function judge(request, answer) {
  const response = await fetch('/page/verdict', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ request, answer: JSON.stringify(answer) }),
  });
  if (!response.ok) throw new Error(`The verdict failed with status ${response.status}`);
  return response.json();
}

async function show(request, response, text, time) {
  const answer = read(response, text);
  const verdict = response.ok && !answer.error
    ? await judge(request.text, answer).catch((error) => ({ passed: false, title: 'Answered, but not judged', faults: [`${error.message}. Is the server still running?`] }))
    : { passed: false, title: `Error ${response.status} ${answer.error?.code ?? response.statusText}`.trim(), faults: [] };
  say(`${verdict.title}, after ${duration(time)}.`, verdict.passed ? 'passed' : 'failed');
  $('faults').replaceChildren(...verdict.faults.map((fault) => element('li', fault)));
  $('faults').hidden = verdict.faults.length === 0;
  $('said').replaceChildren(...said(answer));
  $('facts').replaceChildren(...facts(response, answer, time));
  $('headers').textContent = `${response.status} ${response.statusText}\n${[...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')}`;
  $('raw').textContent = indented(text);
  $('sent').textContent = request.text;
  $('result').hidden = false;
  document.querySelector('.answer').scrollIntoView({ block: 'nearest' });
  remember(request, response, answer, verdict, time);
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** What the model did, and its reasoning, or the error. */
function said(answer) {
  if (answer.error) return [element('p', answer.error.message)];
  const message = answer.choices?.[0]?.message ?? {};
  const list = (message.tool_calls ?? []).flatMap((call) => [
    element('p', 'Calls ', element('code', call.function.name), element('span', ' with')),
    block(call.function.arguments, 'Arguments of the call'),
  ]);
  if (message.content) list.push(element('p', message.tool_calls ? 'Says beside it' : 'Says'), block(message.content, 'Text of the answer'));
  if (message.refusal) list.push(element('p', 'Declines'), block(message.refusal, 'Refusal'));
  if (message.reasoning_content) list.push(element('details', '', element('summary', 'Reasoning'), block(message.reasoning_content, 'Reasoning')));
  return list.length > 0 ? list : [element('p', 'An empty text.')];
}

function block(text, label) {
  const pre = element('pre', text);
  pre.tabIndex = 0; // so that the keyboard can scroll it
  pre.setAttribute('role', 'group');
  pre.setAttribute('aria-label', label);
  return pre;
}

const codes = (response, name) => (response.headers.get(name) ?? '').replaceAll(',', ', ').replace(/ {2,}/g, ' ');

function facts(response, answer, time) {
  const usage = answer.usage;
  const list = [
    ['Attempts', response.headers.get('X-Endpoint-Attempts') ?? 'none'],
    ['Mended', codes(response, 'X-Endpoint-Mended') || 'nothing'],
    ['Time', duration(time)],
    ['Tokens', usage && `${usage.prompt_tokens} in, ${usage.completion_tokens} out`],
    ['Finish reason', answer.choices?.[0]?.finish_reason],
    ['Without effect', codes(response, 'X-Endpoint-Ignored')],
    ['Fallback', response.headers.get('X-Endpoint-Fallback')],
    ['Place of the fault', answer.error?.param],
    ['Answered by', answer.model, 'wide'],
    ['Request id', response.headers.get('X-Request-Id'), 'wide'],
  ];
  return list.filter(([, value]) => value).map(([name, value, width]) => {
    const pair = element('div', '', element('dt', name), element('dd', value));
    pair.className = width ?? '';
    return pair;
  });
}

/** Adds a row to the answers so far, the latest first. */
function remember(request, response, answer, verdict, time) {
  const message = answer.choices?.[0]?.message ?? {};
  const call = message.tool_calls?.[0]?.function;
  const short = answer.error?.code ?? (call ? `${call.name} ${call.arguments}` : message.content ?? '');
  count += 1;
  const row = element('tr', '', element('td', String(count)), element('td', request.title), element('td', verdict.passed ? 'passed' : 'failed'),
    element('td', short.length > 120 ? `${short.slice(0, 120)} …` : short), element('td', response.headers.get('X-Endpoint-Attempts') ?? ''),
    element('td', codes(response, 'X-Endpoint-Mended')), element('td', duration(time)));
  row.children[2].dataset.verdict = verdict.passed ? 'passed' : 'failed';
  $('rows').prepend(row);
  while ($('rows').children.length > 50) $('rows').lastElementChild.remove();
  $('earlier').hidden = false;
}

/** A text as a POSIX shell takes it for one word. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function command() {
  return `curl -sS ${quoted(`${$('base-url').textContent}/chat/completions`)} \\\n  -H ${quoted(`Authorization: Bearer ${key() || 'YOUR_KEY'}`)} \\\n`
    + `  -H 'Content-Type: application/json' \\\n  -d ${quoted(body.value)}`;
}

async function copy(text, button) {
  const told = await navigator.clipboard.writeText(text).then(() => 'Copied', () => 'Not allowed to copy');
  $('notice').textContent = told;
  if (button.dataset.told) return; // it says so already
  const label = [...button.childNodes];
  button.dataset.told = told;
  button.replaceChildren(told);
  setTimeout(() => {
    button.replaceChildren(...label);
    delete button.dataset.told;
    $('notice').textContent = '';
  }, 2000);
}

for (const button of document.querySelectorAll('[data-copy]')) button.addEventListener('click', () => copy($(button.dataset.copy).textContent, button));
$('copy-command').addEventListener('click', (event) => copy(command(), event.currentTarget));
$('stop').addEventListener('click', () => waiting?.abort());
document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault();
  send();
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
});
screen.addEventListener('change', choose);
model.addEventListener('change', () => fill(named(body.value)));
body.addEventListener('input', showPictures);
choose();
