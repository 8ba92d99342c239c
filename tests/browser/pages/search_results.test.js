// Search and suggestions in the browser: one search for three kinds, suggestions on the memory page, related sessions,
// and the progress of the search index. The offline model works by rule.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ended, send } from '../../lib/chat.js';
import { axe, axeInBothSchemes } from '../lib/look.js';
import { leads, phone, ready, stage, until } from '../lib/stage.js';

const { alfred, open } = await stage({ providers: false, config: { session: { idle_minutes: 0 } } });
await alfred.admin('admin');

/** A session of one message, with a summary. */
async function talk(client, text) {
    const sent = await send(client, text);
    await ended(client, sent.turn);
    await until('it is summarised', async () => (await client.getJson(`/api/sessions/${sent.session}/summaries`)).summaries.length > 0);
    return sent.session;
}
const suggestions = async (client) => (await client.getJson('/api/suggestions')).suggestions;
/** A user for one test, with two similar sessions, a fact, and `n` suggestions. */
async function user(name, n = 0) {
    const client = await alfred.user(name);
    assert.equal((await client.postJson('/api/memories', { text: 'Plays the violin', tags: 'music', permanent: true })).status, 201);
    const sessions = [
        await talk(client, 'We travel to Lisbon in May with the violin, by night train.'),
        await talk(client, 'Which hotel in Lisbon has room for a violin, in May, near the night train?'),
    ];
    if (n) await talk(client, ['I live in Porto.', 'My wife’s name is Ida.', 'I am allergic to walnuts.'].slice(0, n).join(' '));
    await until('it is looked through', async () => (await suggestions(client)).length === n);
    return { client, sessions };
}

const fits = (page) => page.evaluate(() => document.scrollingElement.scrollWidth <= document.documentElement.clientWidth);
const narrow = { ...phone, viewport: { width: 320, height: 640 } };
const kinds = (page) => page.locator('.kind > h2').allInnerTexts();


test('suggestions are kept and dismissed, one by one and all at once', async (t) => {
    const { client } = await user('keeper', 3);
    const page = await open(t, { as: client, path: '/memory' });
    const box = page.getByRole('region', { name: 'Suggested' });
    assert.equal(await box.getByRole('listitem').count(), 3);
    await leads(page, '/memory?done=memory_added', () => box.getByRole('button', { name: /^Keep ?: I live in Porto$/ }).click());
    await page.locator('#memory-list .fact', { hasText: 'I live in Porto' }).waitFor();
    await leads(page, '/memory?done=suggestions_kept', () => box.getByRole('button', { name: 'Keep all' }).click());
    assert.equal(await box.count(), 0);
    assert.deepEqual(await page.locator('#memory-list .fact').allInnerTexts(), ['I am allergic to walnuts', 'My wife’s name is Ida', 'I live in Porto', 'Plays the violin']);
});

test('a suggestion leads to its source message, and the keyboard reaches its buttons in order', async (t) => {
    const { client } = await user('reader', 1);
    const page = await open(t, { as: client, path: '/memory' });
    const box = page.getByRole('region', { name: 'Suggested' });
    const names = [];
    await box.getByRole('link').focus();
    for (let i = 0; i < 2; i++) {
        await page.keyboard.press('Tab');
        names.push(await page.evaluate(() => document.activeElement.textContent));
    }
    assert.deepEqual(names, ['Keep: I live in Porto', 'Dismiss: I live in Porto']);
    assert.equal(await box.getByRole('button', { name: 'Keep all' }).count(), 0, 'there is one only');
    await leads(page, '/memory?done=suggestion_dismissed', () => page.keyboard.press('Enter'));
    assert.deepEqual(await suggestions(client), []);
});

test('the menu of a session and Ctrl+K search its messages only', async (t) => {
    const { client, sessions } = await user('within');
    const page = await open(t, { as: client, path: `/s/${sessions[1]}` });
    await page.locator('#session-menu summary').click();
    await leads(page, `/search?session=${sessions[1]}`, () => page.getByRole('menuitem', { name: 'Search this session' }).click());
    await page.getByText('Search covers the questions and answers of this session').waitFor();
    await page.locator('#q:focus').waitFor();
    await page.keyboard.type('violin');
    await leads(page, new RegExp(`q=violin&session=${sessions[1]}`), () => page.keyboard.press('Enter'));
    assert.deepEqual(await kinds(page), ['Messages']);
    assert.deepEqual(await page.locator('#hits .item-main').evaluateAll((all) => [...new Set(all.map((a) => new URL(a.href).pathname))]), [`/s/${sessions[1]}`]);
    await axeInBothSchemes(page);
    assert.ok(await fits(page));
    await leads(page, /\?at=\d+#m-\d+$/, () => page.locator('#hits .item-main').first().click());
    await page.keyboard.press('Control+k');
    await page.keyboard.type('lisbon');
    await leads(page, `/search?q=lisbon&session=${sessions[1]}`, () => page.getByRole('option', { name: 'Search this session for “lisbon”' }).click());
    await page.getByRole('checkbox', { name: /^Only in the session/ }).uncheck();
    await leads(page, '/search?q=lisbon&after=&before=', () => page.getByRole('button', { name: 'Search', exact: true }).click());
    assert.deepEqual(await kinds(page), ['Sessions', 'Messages']);
    assert.equal(await page.getByRole('checkbox').count(), 0);
});

test('one box finds three kinds, and the chips show one of them', async (t) => {
    const { client, sessions } = await user('finder');
    const page = await open(t, { as: client, path: '/search' });
    await page.locator('#q').fill('violin lisbon');
    await leads(page, /\/search\?q=violin/, () => page.keyboard.press('Enter'));
    assert.deepEqual(await kinds(page), ['Facts', 'Sessions', 'Messages']);
    assert.ok((await page.locator('mark').allInnerTexts()).includes('violin'));
    const chips = page.getByRole('navigation', { name: 'Show' });
    await leads(page, /show=sessions/, () => chips.getByRole('link', { name: 'Sessions' }).click());
    assert.deepEqual(await kinds(page), ['Sessions']);
    assert.equal(await chips.locator('[aria-current]').innerText(), 'Sessions');
    await page.locator('#q').fill('zzzqqq');
    await leads(page, /q=zzzqqq/, () => page.keyboard.press('Enter'));
    await page.getByText('Nothing found for “zzzqqq”').waitFor();
    await leads(page, /show=facts/, () => chips.getByRole('link', { name: 'Facts' }).click());
    await page.locator('#q').fill('violin');
    await leads(page, /q=violin/, () => page.keyboard.press('Enter'));
    assert.deepEqual(await kinds(page), ['Facts']);
    await leads(page, /\/memory\?after=\d+#memory-\d+$/, () => page.locator('#found-facts a').click());
    assert.equal(await page.locator('#memory-list > li').first().locator('.fact').innerText(), 'Plays the violin');
    await page.goto('/search?q=hotel+lisbon&show=sessions');
    await leads(page, `/s/${sessions[1]}`, () => page.locator('#found-sessions a').first().click());
});

test('the search box shows the searched word of a long message, also on a phone', async (t) => {
    const client = await alfred.user('quick');
    const sent = await send(client, 'Here is the page: `<!doctype-html><html-lang="en"><head-of-page>` and the `<h1-heading-of-the-page>` bassoon `</h1>` in it.');
    await ended(client, sent.turn);
    for (const size of [{}, phone]) {
        const page = await open(t, { as: client, ...size });
        await page.keyboard.press('Control+k');
        await page.keyboard.type('bassoon');
        const word = page.locator('[role=option] mark', { hasText: 'bassoon' }).first();
        await word.waitFor();
        const [mark, line] = await word.evaluate((el) => [el, el.parentElement.parentElement].map((one) => one.getBoundingClientRect().right));
        assert.ok(mark <= line, `${mark} of ${line}`);
        await page.keyboard.press('Escape');
    }
});

test('related sessions are on the summary page, and beside the chat in wide windows', async (t) => {
    const { client, sessions } = await user('relater');
    const page = await open(t, { as: client, path: `/s/${sessions[0]}/summary`, viewport: { width: 1440, height: 900 } });
    const list = page.getByRole('region', { name: 'Related sessions' });
    assert.equal(await list.getByRole('link').count(), 1);
    await leads(page, `/s/${sessions[1]}`, () => list.getByRole('link').click());
    const beside = page.getByRole('navigation', { name: 'Related sessions' });
    await beside.waitFor();
    assert.deepEqual(await axe(page), []);
    const [nav, column] = [await beside.boundingBox(), await page.locator('#transcript').boundingBox()];
    assert.ok(nav.x >= column.x + column.width, 'it does not lie on the conversation');
    assert.ok(nav.x + nav.width <= 1440);
    await leads(page, `/s/${sessions[0]}`, () => beside.getByRole('link').click());
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.equal(await beside.isVisible(), false);
    await page.reload();
    assert.equal(await beside.isVisible(), false);
    await page.setViewportSize({ width: 1440, height: 900 });
    await beside.waitFor();
});

test('the menu of the open session leads to its summary at every width, from a new session as well', async (t) => {
    const { client, sessions } = await user('wayfarer');
    const menu = (page) => page.locator('#session-menu > summary');
    const summary = (page) => page.getByRole('menuitem', { name: 'Summary' });
    for (const width of [360, 768, 1440]) {
        const page = await open(t, { as: client, path: `/s/${sessions[0]}`, viewport: { width, height: 800 } });
        await menu(page).click();
        await leads(page, `/s/${sessions[0]}/summary`, () => summary(page).click());
    }
    const page = await open(t, { as: client });
    assert.equal(await menu(page).isVisible(), false);
    await page.getByRole('textbox', { name: 'Message Alfred' }).fill('What is new?');
    await page.keyboard.press('Enter');
    await menu(page).click();
    const here = new URL(page.url()).pathname;
    await leads(page, `${here}/summary`, () => summary(page).click());
});

test('without script the boxes, the chips and the suggestions work', async (t) => {
    const { client, sessions } = await user('plain', 2);
    const page = await open(t, { as: client, path: '/memory', javaScriptEnabled: false });
    await page.getByRole('button', { name: /^Dismiss ?: I live in Porto$/ }).click();
    await page.getByText('The suggestion is dismissed.').first().waitFor();
    await page.getByRole('button', { name: /^Keep ?: My wife/ }).click();
    await page.locator('#memory-list .fact', { hasText: 'My wife’s name is Ida' }).waitFor();
    await page.goto('/search');
    await page.locator('#q').fill('violin');
    await page.getByRole('button', { name: 'Search' }).click();
    assert.deepEqual(await kinds(page), ['Facts', 'Sessions', 'Messages']);
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    assert.deepEqual(await kinds(page), ['Messages']);
    await page.goto(`/s/${sessions[0]}/summary`);
    await page.getByRole('region', { name: 'Related sessions' }).getByRole('link').click();
    await page.waitForURL(`/s/${sessions[1]}`);
});

test('the progress of the index updates without a reload, and ends', async (t) => {
    const { client } = await user('waiter');
    const id = idOf('waiter');
    const seq = lengthOf(id);
    alfred.sql(`INSERT INTO embedding_model (id, provider, model, prefix, dimension, state, created_at) VALUES (77, 'x', 'y', '', 8, 'building', 1)`);
    // A change of the test's own connection tells no page; a job of the index that is tried again does.
    let jobs = 0;
    const news = async () => {
        alfred.sql(`INSERT INTO job (kind, owner, subject, state, attempts, run_at, error, created_at, ended_at) VALUES ('embed', ?, ?, 'dead', 5, 1, 'x', 1, 1)`, id, ++jobs);
        const retried = await alfred.cli(['jobs', 'retry', String(number("SELECT id FROM job WHERE kind = 'embed' AND owner = ? AND state = 'dead'", id))]);
        assert.equal(retried.code, 0, retried.stderr);
    };
    const page = await open(t, { as: client, path: '/search' });
    const words = page.locator('.indexing-words');
    assert.equal(await words.innerText(), `Re-indexing: 0 of ${seq}`);
    assert.deepEqual(await axe(page), []);
    alfred.sql(`INSERT INTO embedding_progress (model_id, layer, owner, done_to) VALUES (77, 'message', ?, (? << 32) + 1)`, id, id);
    await news();
    await words.filter({ hasText: `Re-indexing: 1 of ${seq}` }).waitFor();
    assert.equal(await page.getByRole('progressbar').getAttribute('value'), '1');
    const said = page.locator('#say');
    await said.evaluate((el) => { el.textContent = 'Said before'; });
    alfred.sql('DELETE FROM embedding_model WHERE id = 77');
    await news();
    await words.waitFor({ state: 'hidden' });
    await said.filter({ hasText: 'The search index is up to date.' }).waitFor();
    assert.equal(await said.innerText(), 'The search index is up to date.', 'without what was said before');
});

/** Reads one number from the database directly. */
const number = (sql, ...values) => alfred.database((db) => Number(Object.values(db.prepare(sql).get(...values))[0]));
const idOf = (name) => number('SELECT id FROM user WHERE name = ?', name);
const lengthOf = (id) => number('SELECT message_seq + summary_seq + memory_seq FROM user WHERE id = ?', id);

const { client: looker, sessions } = await user('looker', 2);
const PAGES = ['/memory', '/search', '/search?q=violin+lisbon', '/search?q=zzzqqq&show=sessions', '/search?q=violin&show=facts', `/s/${sessions[0]}/summary`];
test('axe finds nothing serious', async (t) => {
    const page = await open(t, { as: looker });
    for (const path of PAGES) {
        await page.goto(path);
        await ready(page);
        assert.deepEqual(await axeInBothSchemes(page), [], path);
    }
});

test('at 320 px no page scrolls sideways', async (t) => {
    const page = await open(t, { as: looker, ...narrow });
    for (const path of PAGES) {
        await page.goto(path);
        assert.ok(await fits(page), path);
    }
});
