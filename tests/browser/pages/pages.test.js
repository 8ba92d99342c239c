// The pages besides the chat: search, usage and the jobs of the helper.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { asksForSummary, exchange } from '../../lib/chat.js';
import { Chat } from '../lib/chat.js';
import { axe, axeInBothSchemes, sticksOut } from '../lib/look.js';
import { answers, leads, phone, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, change, open } = await stage({ config: { session: { idle_minutes: 0 }, jobs: { retry_seconds: 0 } } });
const anna = await alfred.admin('anna');

provider.always(answers('**About**\n\nA talk.\n\n**Open ends**\n\nNone.'), asksForSummary);

const fits = (page) => page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth);

// A long conversation with one special message near its beginning, and another session.
const talk = await exchange(anna, provider, 'My tortoise Hermann weighs four kilos', 'That is a <b>heavy</b> tortoise.');
for (let i = 0; i < 6; i++) await exchange(anna, provider, `Something else, number ${i}`, 'And much more of it. '.repeat(30), { session: talk.session });
await exchange(anna, provider, 'How do I prune roses?', 'In spring, above a bud.');

const box = (page) => page.locator('#q');
async function search(page, words) {
    await box(page).fill(words);
    await leads(page, /[?&]q=/, () => box(page).press('Enter'));
}

test('search finds a message by its words, marks them, and leads to its place', async (t) => {
    const page = await open(t, { as: anna, path: '/search' });
    await search(page, 'tortoise Hermann');
    assert.equal(await box(page).inputValue(), 'tortoise Hermann', 'the question stays in its box');
    const hits = page.locator('#hits .talk li');
    const first = hits.filter({ hasText: 'weighs four kilos' });
    assert.deepEqual(await first.locator('mark').allInnerTexts(), ['tortoise', 'Hermann']);
    await page.locator('#hits', { hasText: 'a <b>heavy</b> tortoise' }).waitFor(); // as text
    assert.equal(await page.locator('#hits b').count(), 0);
    await leads(page, new RegExp(`/s/${talk.session}`), () => first.getByRole('link').click());
    const found = page.locator('article', { hasText: 'weighs four kilos' });
    assert.equal(new URL(page.url()).hash, `#${await found.getAttribute('id')}`);
    assert.ok(await found.evaluate((el) => el.getBoundingClientRect().top >= 0 && el.getBoundingClientRect().bottom <= innerHeight), 'in view');
    await page.goBack();
    await ready(page);
    assert.equal(await box(page).inputValue(), 'tortoise Hermann');
    await first.waitFor();
});

test('the dates below a plot fit a small phone, and no word is cut', async (t) => {
    const page = await open(t, { as: anna, path: '/usage', viewport: { width: 320, height: 640 } });
    await page.evaluate(() => {
        document.documentElement.style.fontSize = '125%'; // the largest text of the settings
        // The longest date and word of a day in German, whatever day it is.
        for (const axis of document.querySelectorAll('.plot-axis')) axis.replaceChildren(...['Donnerstag, 30. September', 'höchster Wert: 24', 'Heute'].map((text) => Object.assign(document.createElement('span'), { textContent: text })));
    });
    assert.deepEqual(await sticksOut(page), []);
    const lines = await page.locator('.plot-axis span').evaluateAll((spans) => spans.map((el) => el.getBoundingClientRect().height / parseFloat(getComputedStyle(el).lineHeight)));
    assert.ok(lines.length >= 3 && Math.max(...lines) <= 3, String(lines));
});

test('an empty result is shown with the searched words', async (t) => {
    const page = await open(t, { as: anna, path: '/search' });
    await search(page, 'zyzzyva <i>nowhere</i>');
    await page.locator('.none-title', { hasText: 'zyzzyva <i>nowhere</i>' }).waitFor();
    assert.equal(await page.locator('main i').count(), 0);
    assert.deepEqual(await axe(page), []);
});

test('a date range limits the search, and an invalid day is reported on the form', async (t) => {
    const page = await open(t, { as: anna, path: '/search?q=tortoise&after=2001-01-01', allow: [/status of 400/] });
    assert.ok(await page.locator('.find-dates').evaluate((el) => el.open), 'what narrows is shown');
    await page.locator('#hits').waitFor();
    await page.getByLabel('Before').fill('2002-01-01');
    await leads(page, /before=2002/, () => box(page).press('Enter'));
    assert.equal(await page.locator('#hits').count(), 0);
    await page.goto('/search?q=tortoise&after=yesterday');
    await ready(page);
    await page.getByRole('alert').filter({ hasText: /\w/ }).first().waitFor();
});

test('the search box passes its words to the search', async (t) => {
    const page = await open(t, { as: anna });
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('tortoise');
    const through = page.getByRole('option', { name: /Search everything for “tortoise”/ });
    await leads(page, /\/search\?q=tortoise/, () => through.click());
    await page.locator('#hits').waitFor();
});

test('a job that failed finally is on the page with its reason, and Retry runs it', async (t) => {
    const reason = 'it ended the helper <b>5</b> times';
    change("INSERT INTO job (kind, owner, subject, state, attempts, run_at, error, created_at, ended_at) SELECT 'summarise', owner, id, 'dead', 5, 1, ?, 1, 1 FROM session WHERE pub = ?", reason, talk.session);
    const page = await open(t, { as: anna, path: '/admin/jobs' });
    const failed = page.locator('.item', { has: page.getByRole('button', { name: /^Retry/ }) });
    assert.equal(await failed.count(), 1);
    assert.match(await failed.innerText(), /^Summary of a session anna\n.*it ended the helper <b>5<\/b> times.*5 attempts/s);
    const row = page.getByRole('region', { name: 'Jobs by kind' }).getByRole('row', { name: /Summary of a session/ });
    assert.equal(await row.getByRole('cell').last().innerText(), '1');
    assert.deepEqual(await axe(page), []);
    await leads(page, /job_retried/, () => failed.getByRole('button').click());
    await page.getByRole('status').filter({ hasText: 'The job will run again.' }).first().waitFor();
    assert.equal(await failed.count(), 0);
    await until('it is done', async () => !/summarise/.test((await alfred.cli(['jobs'])).stdout));
});

/** Messages of the outbox that failed, wait and were perhaps delivered; no channel is configured that would send them. */
change("INSERT INTO channel_chat (channel, chat, thread, grouped, owner, sender, created_at) SELECT 'telegram', '-1001234567890', '', 1, owner, '7', 1 FROM session WHERE pub = ?", talk.session);
const outgoing = (state, post, error, ended) => change('INSERT INTO outbox (chat_id, post, markdown, size, state, attempts, run_at, since_at, error, created_at, ended_at) SELECT max(id), ?, ?, 1234, ?, 3, ?, unixepoch() * 1000, ?, 1, ? FROM channel_chat', post, 'A secret text', state, Date.now() + 600_000, error, ended);
outgoing('ready', 1, null, null);
outgoing('failed', 2, '400 Bad Request: <b>chat</b> not found', 1);
outgoing('doubtful', 3, 'no answer after the request was sent', 1);
change("INSERT INTO channel_problem (channel, error, at) VALUES ('telegram', '401 Unauthorized', 1)");

test('messages to chats are listed without their texts, and sent again or deleted with the keyboard', async (t) => {
    const page = await open(t, { as: anna, path: '/admin/outbox' });
    const item = (part) => page.getByRole('region', { name: part }).locator('.item');
    assert.match(await item('Failed').innerText(), /^Telegram, group -1001234567890 anna\n.*<b>chat<\/b> not found\n.*2\sKB.*3 attempts/s);
    assert.match(await item('Waiting').innerText(), /in \d+ minutes/);
    assert.doesNotMatch(await page.content(), /A secret text/);
    assert.deepEqual(await axe(page), []);
    await item('Perhaps delivered').getByRole('button', { name: /^Send again/ }).focus();
    await leads(page, /outbox_retried/, () => page.keyboard.press('Enter'));
    await page.getByRole('status').filter({ hasText: 'The message will be sent again.' }).first().waitFor();
    assert.equal(await item('Waiting').count(), 2);
    await item('Failed').getByRole('button', { name: /^Delete/ }).focus();
    await leads(page, /outbox_dropped/, () => page.keyboard.press('Enter'));
    await page.getByText('No message has failed.').waitFor();
});

test('a requested summary arrives without a reload, and links back', async (t) => {
    const page = await open(t, { as: anna, path: `/s/${talk.session}/summary` });
    const before = await page.locator('.summary').count();
    await page.getByLabel('Range').selectOption({ label: 'The last 5 messages' });
    await page.getByRole('button', { name: 'Summarise' }).click();
    await page.waitForFunction((n) => document.querySelectorAll('.summary').length > n, before);
    assert.deepEqual(await axe(page), []);
    await leads(page, new RegExp(`/s/${talk.session}$`), () => page.locator('.lead a').click());
    await new Chat(page).question.waitFor();
});

test('on a phone no figure of the table of jobs is cut', async (t) => {
    alfred.sql(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1234)
        INSERT INTO job (kind, subject, state, run_at, error, created_at, ended_at) SELECT 'import', i, 'dead', 1, 'scripted', 1, 1 FROM n`);
    t.after(() => alfred.sql("DELETE FROM job WHERE error = 'scripted'"));
    const page = await open(t, { as: anna, path: '/admin/jobs', ...phone });
    await page.getByRole('cell', { name: '1234' }).waitFor();
    assert.ok(await page.locator('.counts').first().evaluate((el) => el.scrollWidth <= el.clientWidth));
});

test('on a phone the pages fit and axe finds nothing serious', async (t) => {
    const page = await open(t, { as: anna, ...phone, viewport: { width: 320, height: 640 }, reducedMotion: 'reduce' });
    for (const path of ['/search', '/search?q=tortoise', '/search?q=tortoise&after=2001-01-01', '/admin/jobs', '/admin/outbox', `/s/${talk.session}/summary`]) {
        await page.goto(path);
        await ready(page);
        assert.deepEqual(await axeInBothSchemes(page), [], path);
        assert.ok(await fits(page), path);
    }
});
