// The memory in the browser: the memory page, and the question before a fact is deleted. No provider is connected: the
// offline model remembers and forgets by rule.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat } from '../lib/chat.js';
import { axe, axeInBothSchemes } from '../lib/look.js';
import { leads, phone, ready, stage, until } from '../lib/stage.js';

const { alfred, open } = await stage({ providers: false });
await alfred.admin('anna');

/** A user for one test, with facts. */
async function user(name, facts = []) {
    const client = await alfred.user(name);
    for (const fact of facts) assert.equal((await client.postJson('/api/memories', { permanent: true, ...fact })).status, 201);
    return client;
}
const texts = async (client) => (await client.getJson('/api/memories')).memories.map((m) => m.text);

const items = (page) => page.locator('#memory-list > li');
const shown = (page) => items(page).locator('.fact').allInnerTexts();
const said = (page, text) => page.locator('.flash', { hasText: text }).waitFor();
/** Waits for the visible text under an answer after the decision; the texts of other states are hidden. */
const settled = (page, text) => page.locator('article .suggestion [data-when]:not([hidden])', { hasText: text }).waitFor();

const OSLO = { text: 'Born in Oslo', tags: 'home past' };
const CELLO = { text: 'Plays the cello', tags: 'music' };
const TEA = { text: 'Likes <b>tea</b> & lemon', tags: 'home' };

test('the memory page lists, searches and filters by tag', async (t) => {
    const page = await open(t, { as: await user('lists', [OSLO, CELLO, TEA]), path: '/memory' });
    assert.deepEqual(await shown(page), [TEA.text, CELLO.text, OSLO.text], 'the newest first, as it was written');
    const search = page.getByRole('searchbox', { name: 'Search the memory' });
    await search.fill('cello');
    await leads(page, /q=cello/, () => search.press('Enter'));
    assert.deepEqual(await shown(page), [CELLO.text]);
    await search.fill('nothing like this');
    await leads(page, /nothing/, () => search.press('Enter'));
    await page.getByText('Nothing found').waitFor();
    await leads(page, '/memory', () => page.getByRole('link', { name: 'Show everything' }).click());

    const tags = page.getByRole('navigation', { name: 'Tags' });
    assert.deepEqual(await tags.getByRole('link').allTextContents(), ['home', 'music', 'past'], 'by name');
    await leads(page, /tag=home/, () => tags.getByRole('link', { name: 'home' }).click());
    assert.deepEqual(await shown(page), [TEA.text, OSLO.text]);
    assert.equal(await tags.locator('[aria-current]').innerText(), 'home');
    await search.fill('oslo');
    await leads(page, /q=oslo/, () => search.press('Enter'));
    assert.match(page.url(), /tag=home/, 'within the tag');
    assert.deepEqual(await shown(page), [OSLO.text]);
    await page.goto('/memory?tag=home');
    await ready(page);
    await leads(page, '/memory', () => tags.getByRole('link', { name: 'home' }).click());
    assert.equal(await items(page).count(), 3, 'the tag again shows everything');
});

test('a fact is added and edited, and a too long text is not lost', async (t) => {
    const client = await user('edits', [CELLO]);
    const page = await open(t, { as: client, path: '/memory', allow: [/status of 400/] });
    const add = page.locator('summary', { hasText: 'Add a fact' }), form = page.locator('details.add form');
    assert.equal(await form.isVisible(), false, 'folded above the list');
    assert.ok((await add.boundingBox()).y < (await page.locator('#memory-list').boundingBox()).y);
    await add.focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('New fact').fill('Allergic to nuts');
    await form.getByLabel('Tags').fill('health, food');
    await leads(page, /done=/, () => page.getByRole('button', { name: 'Add', exact: true }).click());
    await said(page, 'The fact is added.');
    assert.deepEqual(await shown(page), ['Allergic to nuts', CELLO.text]);

    const row = items(page).filter({ hasText: 'cello' });
    await row.getByLabel('Options of Plays the cello').click();
    const field = row.getByRole('textbox', { name: 'Fact' });
    assert.equal(await field.inputValue(), CELLO.text);
    await field.fill('Plays the viola');
    await row.getByLabel('Permanent').uncheck();
    await leads(page, /done=/, () => row.getByRole('button', { name: 'Save' }).click());
    await said(page, 'The fact is saved.');
    const changed = items(page).filter({ hasText: 'viola' });
    await changed.getByText(/until \d/).waitFor();
    assert.deepEqual((await texts(client)).toSorted(), ['Allergic to nuts', 'Plays the viola']);

    const long = 'ü'.repeat(1001);
    const box = page.getByLabel('New fact');
    await add.click();
    await box.evaluate((el, text) => { el.value = text; }, long); // maxlength holds for what a person types
    await leads(page, '/memory', () => page.getByRole('button', { name: 'Add', exact: true }).click());
    await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
    assert.equal(await box.inputValue(), long);
    assert.ok(await box.isVisible(), 'the refused form is open');
});

test('the form of the first fact is open', async (t) => {
    const page = await open(t, { as: await user('first'), path: '/memory' });
    await page.getByLabel('New fact').fill('Born in Oslo');
    await leads(page, /done=/, () => page.getByRole('button', { name: 'Add', exact: true }).click());
    assert.deepEqual(await shown(page), ['Born in Oslo']);
    assert.equal(await page.locator('details.add').getAttribute('open'), null);
    await until('Enter opens it for a further one', () => page.locator('details.add > summary').evaluate((el) => el === document.activeElement));
    await page.goto('/memory?q=cello');
    assert.equal(await page.locator('details.add').getAttribute('open'), null, 'there are facts');
});

test('the fields of a fact and of a prompt grow with their text', async (t) => {
    const client = await user('grows', [{ text: `${'He likes long walks. '.repeat(8)}${'x'.repeat(80)}` }]);
    const page = await open(t, { as: client, path: '/memory', ...phone });
    const hidden = (field) => field.evaluate((el) => [el.scrollHeight - el.clientHeight, el.scrollWidth - el.clientWidth, document.scrollingElement.scrollWidth - innerWidth]);
    const height = async (field) => (await field.boundingBox()).height;
    const added = page.getByLabel('New fact'), lines = (n) => 'word\n'.repeat(n - 1);
    await page.locator('summary', { hasText: 'Add a fact' }).click();
    const two = await height(added);
    await added.fill(lines(2));
    assert.equal(await height(added), two, 'an empty field has two lines');
    await added.fill(`${lines(8)}${'y'.repeat(200)}`);
    assert.deepEqual(await hidden(added), [0, 0, 0]);
    await page.getByLabel(/^Options of He likes/).click();
    assert.deepEqual(await hidden(items(page).getByRole('textbox', { name: 'Fact' })), [0, 0, 0]);

    await page.goto('/prompts');
    const prompt = page.getByLabel('Text');
    await prompt.fill('');
    const five = await height(prompt);
    await prompt.fill(lines(5));
    assert.equal(await height(prompt), five, 'an empty field has five lines');
    await prompt.fill(lines(12));
    assert.deepEqual(await hidden(prompt), [0, 0, 0]);
});

test('a deletion can be undone; forgetting everything needs a confirmation', async (t) => {
    const client = await user('deletes', [OSLO, CELLO]);
    const page = await open(t, { as: client, path: '/memory' });
    await page.getByLabel('Options of Born in Oslo').click();
    await leads(page, /undo=/, () => page.getByRole('button', { name: 'Delete Born in Oslo' }).click());
    await said(page, 'The fact is deleted.');
    assert.deepEqual(await shown(page), [CELLO.text]);
    await leads(page, /restored/, () => page.getByRole('button', { name: 'Undo', exact: true }).click());
    await said(page, 'The fact is restored.');
    assert.equal(await items(page).count(), 2);
    assert.equal(await page.getByRole('button', { name: 'Undo', exact: true }).count(), 0);

    await leads(page, '/memory/clear', () => page.getByRole('link', { name: 'Forget everything' }).click());
    await leads(page, '/memory', () => page.getByRole('link', { name: 'Cancel' }).click());
    assert.equal(await items(page).count(), 2, 'the question forgets nothing');
    await page.goto('/memory/clear');
    await ready(page);
    await leads(page, /cleared/, () => page.getByRole('button', { name: 'Forget everything' }).click());
    await page.getByText('No facts yet').waitFor();
    assert.deepEqual(await texts(client), []);
});

test('a paused memory says so, and can be resumed', async (t) => {
    const page = await open(t, { as: await user('pauses', [OSLO]), path: '/memory' });
    await leads(page, /paused/, () => page.getByRole('button', { name: 'Pause the memory' }).click());
    await page.getByRole('status').filter({ hasText: 'The memory is paused.' }).first().waitFor();
    assert.deepEqual(await shown(page), [OSLO.text], 'what is there stays');
    assert.deepEqual(await axe(page), []);
    await leads(page, /resumed/, () => page.getByRole('button', { name: 'Resume', exact: true }).click());
    assert.equal(await page.getByText('The memory is paused.').count(), 0);
    await leads(page, /paused/, () => page.getByRole('button', { name: 'Pause the memory' }).click());
    await leads(page, /resumed/, () => page.getByRole('button', { name: 'Resume the memory' }).click()); // below a long list, where Pause was
    assert.equal(await page.getByText('The memory is paused.').count(), 0);
});

test('a fact has a link to its source message', async (t) => {
    const page = await open(t, { as: await user('jumps') });
    const chat = new Chat(page);
    await chat.send('Remember that my dentist is Dr. Weiss');
    await chat.reads(/I will remember/);
    await chat.settled();
    const asked = await chat.question.getAttribute('id');
    for (let i = 0; i < 3; i++) {
        await chat.send(`Something else, number ${i}, ${'and more of it. '.repeat(30)}`);
        await chat.settled();
    }
    await page.goto('/memory');
    await ready(page);
    await leads(page, new RegExp(`#${asked}$`), () => page.getByRole('link', { name: 'source message' }).click());
    await page.locator(`#${asked}`, { hasText: 'my dentist is Dr. Weiss' }).waitFor();
    assert.ok(await page.locator(`#${asked}`).evaluate((el) => {
        const { top, bottom } = el.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
    }), 'in view');
});

/** A chat with an open question about a fact. */
async function asking(t, name, more = {}) {
    const client = await user(name, [{ text: 'The gate code is 4711' }, OSLO]);
    const page = await open(t, { as: client, ...more });
    const chat = new Chat(page);
    await chat.send('Forget the gate code');
    await chat.settled();
    const form = page.getByRole('region', { name: 'Alfred asks' }).getByRole('group', { name: /^Forget/ });
    await form.waitFor();
    return { client, page, chat, form };
}
const GATE = 'The gate code is 4711';

test('before Alfred forgets a fact it asks, with the text of the fact and two buttons', async (t) => {
    const { client, page, chat, form } = await asking(t, 'asks');
    assert.match(await form.getAttribute('aria-label'), new RegExp(GATE));
    assert.deepEqual(await form.getByRole('button').allTextContents(), [`Forget: ${GATE}`, `Keep: ${GATE}`]);
    assert.ok((await texts(client)).includes(GATE), 'nothing happens by itself');
    assert.deepEqual(await axe(page), []);
    await page.reload();
    await ready(page);
    await form.getByRole('button', { name: 'Forget' }).click();
    await settled(page, 'Forgotten.');
    assert.deepEqual(await texts(client), [OSLO.text]);
    assert.equal(await form.count(), 0);
    assert.match(await chat.said.innerText(), /Forgotten/);
    await page.reload();
    await ready(page);
    await settled(page, 'Forgotten.');
    await chat.send('What do you remember about the gate code?');
    await chat.settled();
    assert.ok(!(await chat.answer.innerText()).includes('4711'));
    await page.locator('article .suggestion').getByRole('button', { name: 'Undo' }).click();
    await settled(page, 'Undone. It is in memory again.');
    assert.ok((await texts(client)).includes(GATE));
});

test('Keep keeps the fact, and the keyboard is enough', async (t) => {
    const { client, page, form } = await asking(t, 'keeps');
    await form.getByRole('button', { name: 'Forget' }).focus();
    await page.keyboard.press('Tab');
    assert.match(await page.evaluate(() => document.activeElement.textContent), /^Keep/);
    const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(ring, 'none');
    await page.keyboard.press('Enter');
    await settled(page, 'Nothing was forgotten.');
    assert.ok(await page.evaluate(() => document.activeElement.matches('article .suggestion')), 'the focus is where it was decided');
    assert.ok((await texts(client)).includes(GATE));
    assert.equal(await form.count(), 0);
});

test('the question stays above the box until it is answered; a yes to something else leaves it open', async (t) => {
    const { client, page, chat, form } = await asking(t, 'types');
    for (const text of ['What time is it?', 'yes']) {
        await chat.send(text);
        await chat.settled();
        assert.ok((await texts(client)).includes(GATE));
        assert.ok(await form.isVisible());
    }
    await page.reload();
    await ready(page);
    assert.ok(await form.evaluate((el) => el.getBoundingClientRect().bottom <= innerHeight && el.getBoundingClientRect().top > 0), 'in view');
    await chat.send('Yes, forget the fact');
    await chat.reads(/I have forgotten this/);
    await chat.settled();
    assert.deepEqual(await texts(client), [OSLO.text]);
    assert.equal(await form.count(), 0, 'its buttons are gone at once');
    await settled(page, 'Forgotten.');
    await page.reload();
    await ready(page);
    assert.equal(await form.count(), 0);
});

test('the result of a question further up is shown above the box', async (t) => {
    const { page, chat, form } = await asking(t, 'further');
    await chat.send('What time is it?');
    await chat.settled();
    await form.getByRole('button', { name: 'Forget' }).click();
    await form.getByText('Forgotten.', { exact: true }).waitFor();
    await form.getByRole('button', { name: 'Undo' }).click();
    await form.getByText('Undone. It is in memory again.').waitFor();
    await chat.send('What time is it now?');
    await chat.settled();
    assert.equal(await form.count(), 0, 'said once');
    assert.equal(await page.locator('article .suggestion', { hasText: 'Undone.' }).count(), 1);
});

test('a question that was answered in another tab is closed', async (t) => {
    const { client, page, form } = await asking(t, 'late', { allow: [/409/] });
    const id = await form.getAttribute('data-suggestion');
    // The page hears of the decision at once and removes the question. So the decision comes between the click and its request.
    await page.route('**/suggestions/*/keep', async (route) => {
        assert.equal((await client.post(`/suggestions/${id}/dismiss`, {})).status, 303);
        await route.continue();
    });
    await form.getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('alert').filter({ hasText: /already been decided/ }).waitFor();
    await form.waitFor({ state: 'detached' });
    assert.ok((await texts(client)).includes(GATE));
});

test('a lapsed question disappears from the page', async (t) => {
    const { page, form } = await asking(t, 'lapses');
    await page.clock.install();
    await page.reload();
    await ready(page);
    await form.getByRole('button', { name: 'Keep' }).focus(); // loads suggestions.js, which watches the time
    await page.waitForFunction(() => import(`/static/${document.documentElement.dataset.asset}/js/chat/suggestions.js`).then(() => true));
    await page.clock.runFor(31 * 60_000);
    await form.waitFor({ state: 'detached' });
});

/** Pastes like a user. */
async function paste(page, text) {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate((s) => navigator.clipboard.writeText(s), text);
    await page.keyboard.press('Control+V');
}

test('a typed fact is stored at once with Undo, a pasted one waits for Keep', async (t) => {
    const client = await user('pastes');
    const page = await open(t, { as: client });
    const chat = new Chat(page);
    await page.keyboard.type('Remember that I like tea');
    await page.keyboard.press('Enter');
    await chat.settled();
    const under = chat.reply.locator('.suggestion');
    await under.getByText('Kept in memory: “I like tea”').waitFor();
    assert.deepEqual(await texts(client), ['I like tea']);

    await page.keyboard.type('Remember that ');
    await paste(page, 'the account is DE12');
    await page.keyboard.press('Enter');
    await chat.reads(/Shall I remember this/);
    await chat.settled();
    assert.deepEqual(await texts(client), ['I like tea']);
    const group = chat.reply.getByRole('group', { name: 'Remember “the account is DE12”' });
    assert.deepEqual(await group.getByRole('button').allTextContents(), ['Keep: the account is DE12', 'Dismiss: the account is DE12']);
    assert.deepEqual(await axe(page), []);
    await page.reload();
    await ready(page);
    await group.getByRole('button', { name: 'Keep' }).click();
    await group.getByText('Kept in memory: “the account is DE12”').waitFor();
    assert.deepEqual(await texts(client), ['the account is DE12', 'I like tea']);
    await group.getByRole('button', { name: 'Undo' }).click();
    await group.getByText('Undone. It is not in memory any more.').waitFor();
    assert.deepEqual(await texts(client), ['I like tea']);
    await page.reload();
    await ready(page);
    const gone = chat.reply.locator('.suggestion', { hasText: 'Undone. It is not in memory any more.' });
    await gone.waitFor();
    assert.equal(await gone.getByRole('button').count(), 0);
});

test('pasted text counts as pasted in a draft, when it is moved, and when it waits', async (t) => {
    const client = await user('drafts');
    const page = await open(t, { as: client });
    const chat = new Chat(page);
    await paste(page, 'that I like jam');
    await page.keyboard.press('Home');
    await page.keyboard.type('Remember ');
    await page.locator('#text').evaluate((box) => box.dispatchEvent(new Event('pagehide'))); // as in a reload
    await page.reload();
    await ready(page);
    assert.equal(await chat.box.inputValue(), 'Remember that I like jam');
    await chat.box.press('Enter');
    await chat.reads(/Shall I remember this/);
    await chat.settled();
    assert.deepEqual(await texts(client), []);
    await chat.send('Remember that I like bread');
    await chat.settled();
    assert.deepEqual(await texts(client), ['I like bread'], 'the next message is typed again');
});

test('axe finds nothing serious in the memory and its question on a phone', async (t) => {
    const { page } = await asking(t, 'axe', { ...phone, reducedMotion: 'reduce' });
    assert.deepEqual(await axeInBothSchemes(page), [], 'the question');
    await page.goto('/memory');
    await ready(page);
    await page.locator('.rename summary').first().click();
    assert.deepEqual(await axeInBothSchemes(page), [], 'the page');
    assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth));
    await page.goto('/memory/clear');
    await ready(page);
    assert.deepEqual(await axeInBothSchemes(page), [], 'the question before everything is forgotten');
});

test('after a change the list of a search or a tag is still shown', async (t) => {
    const client = await user('filtered', [OSLO, CELLO, TEA]);
    const page = await open(t, { as: client, path: '/memory?tag=home' });
    assert.equal((await shown(page)).length, 2);
    const row = items(page).filter({ hasText: 'Oslo' });
    await row.locator('summary').click();
    await leads(page, /tag=home.*memory_deleted/, () => row.getByRole('button', { name: /^Delete/ }).click());
    assert.deepEqual(await shown(page), [TEA.text]);
    await leads(page, /tag=home&done=memory_restored/, () => page.getByRole('button', { name: 'Undo' }).click());
    assert.equal((await shown(page)).length, 2);
});
