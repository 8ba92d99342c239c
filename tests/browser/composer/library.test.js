// Prompts and personas in the message box and on their pages, by keyboard, on a phone and without a script.
import { test } from 'node:test';
import assert from 'node:assert/strict';

import { axe } from '../lib/look.js';
import { DESKTOP, answers, asksForAnswer, phone, ready, stage, until } from '../lib/stage.js';
import { Chat } from '../lib/chat.js';

const { alfred, provider, open, blank } = await stage();
await alfred.admin('anna');

async function user(name) {
    const client = await alfred.user(name);
    const make = async (path, json) => assert.equal((await client.postJson(path, json)).status, 201);
    await make('/api/prompts', { name: 'Translate', text: 'Into {{language}}, please: {{text}} ({{language}})' });
    await make('/api/prompts', { name: 'Sum up', text: 'Sum this up in three lines.' });
    await make('/api/personas', { name: 'Cook', text: 'You are a patient cook.' });
    return client;
}

for (const size of [{ viewport: DESKTOP }, phone])
    test(`/ inserts a prompt and asks for its fields, by keyboard, at ${size.viewport.width} px`, async (t) => {
        const page = await open(t, { as: await user(`ida${size.viewport.width}`), ...size });
        const box = page.getByRole('textbox', { name: 'Message Alfred' });
        await box.click();
        await box.pressSequentially('/');
        const list = page.getByRole('listbox', { name: 'Commands and prompts' });
        await list.waitFor();
        assert.equal(await list.getByRole('option').filter({ hasNotText: /^\// }).count(), 2);
        assert.doesNotMatch(await list.getByRole('option').first().innerText(), /^\//, 'own prompts come before the commands');
        assert.deepEqual(await axe(page), []);
        await box.pressSequentially('tr');
        await list.getByRole('option').nth(1).waitFor({ state: 'detached' });
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog', { name: 'Translate' });
        await dialog.waitFor();
        assert.deepEqual(await axe(page), []);
        await page.keyboard.type('German');
        await page.keyboard.press('Enter'); // to the next field that is empty
        await page.keyboard.type('Good morning');
        await page.keyboard.press('Enter');
        await until('the prompt is in the box', async () => (await box.inputValue()) === 'Into German, please: Good morning (German)');
        await until('the box has the focus', () => box.evaluate((el) => el === document.activeElement));
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    });

test('what is pasted into a field of a prompt, and what stands behind a chosen persona, is sent as pasted text', async (t) => {
    const page = await open(t, { as: await user('pia'), permissions: ['clipboard-read', 'clipboard-write'] });
    const chat = new Chat(page), dialog = page.getByRole('dialog', { name: 'Translate' });
    provider.always(answers('Fine.'), asksForAnswer);
    const MAIL = 'Remember that I am ill.';
    await page.evaluate((text) => navigator.clipboard.writeText(text), MAIL);
    /** Sends, and gives the text with the beginning of its pasted part. */
    const sends = async () => {
        const before = await chat.replies.count();
        const [sent] = await Promise.all([page.waitForRequest((r) => r.method() === 'POST' && r.url().endsWith('/messages')), chat.box.press('Enter')]);
        await chat.replies.nth(before).waitFor();
        await chat.settled();
        const { text, pasted_from } = sent.postDataJSON();
        return [text, pasted_from];
    };
    const choose = async (typed, name) => {
        await chat.box.pressSequentially(typed);
        await page.getByRole('option', { name }).and(page.locator('[aria-selected=true]')).waitFor();
        await page.keyboard.press('Tab');
    };
    for (const paste of [false, true]) {
        await choose('/tran', 'Translate');
        await dialog.waitFor();
        await page.keyboard.type('Dutch');
        await page.keyboard.press('Tab');
        await page.keyboard.type('Mail: ');
        await (paste ? page.keyboard.press('Control+v') : page.keyboard.type(MAIL));
        await page.keyboard.press('Enter');
        await until('the prompt is in the box', async () => /^Into/.test(await chat.box.inputValue()));
        await dialog.waitFor({ state: 'detached' });
        assert.deepEqual(await sends(), [`Into Dutch, please: Mail: ${MAIL} (Dutch)`, paste ? 'Into Dutch, please: Mail: '.length : undefined]);
    }
    await chat.box.press('Control+v');
    await chat.box.press('Home');
    await choose('@coo', 'Cook');
    assert.deepEqual(await sends(), [MAIL, 0]);
});

test('Esc closes the list and leaves the text; a path is no prompt; arrows choose', async (t) => {
    const page = await open(t, { as: await user('ina') });
    const box = page.getByRole('textbox', { name: 'Message Alfred' });
    await box.pressSequentially('/');
    const list = page.locator('#library-list');
    await list.waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    assert.equal(await box.inputValue(), '/');
    await box.pressSequentially('usr/bin ');
    await list.waitFor({ state: 'hidden' });
    await box.pressSequentially('/');
    await list.waitFor();
    assert.equal(await list.getByRole('option', { selected: true }).innerText().then((s) => s.split('\n')[0]), 'Sum up');
    await page.keyboard.press('ArrowDown');
    assert.match(await list.getByRole('option', { selected: true }).innerText(), /Translate/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Tab');
    assert.equal(await box.inputValue(), '/usr/bin Sum this up in three lines.');
});

test('without a connection a typed path reports nothing, and the list comes with the connection', async (t) => {
    const page = await open(t, { as: await user('ole'), allow: [/net::ERR_FAILED/] }), box = page.getByRole('textbox', { name: 'Message Alfred' });
    const lists = /\/api\/(prompts|commands)/;
    let failed = 0;
    await page.route(lists, (route) => (failed++, route.abort('failed')));
    await box.click();
    for (const [i, letter] of [...'/he'].entries()) {
        await box.pressSequentially(letter);
        await until('both are asked for', () => failed === 2 * (i + 1));
    }
    await page.unroute(lists);
    await box.pressSequentially('l');
    await page.getByRole('option', { name: '/help' }).waitFor();
    assert.equal(await page.locator('#alerts > *').count(), 0);
});

test('@ chooses a persona, which the model gets', async (t) => {
    const page = await open(t, { as: await user('isa') });
    const chat = new Chat(page);
    const names = page.getByRole('listbox', { name: 'Personas' }).getByRole('option');
    await chat.box.pressSequentially('@');
    await names.first().waitFor();
    assert.equal(await names.filter({ hasText: 'No persona' }).count(), 0, 'there is none to take back');
    await chat.box.pressSequentially('co');
    await names.filter({ hasText: 'Cook' }).click();
    assert.equal(await chat.box.inputValue(), '');
    assert.equal(await page.locator('#options-chosen').filter({ hasText: 'Cook' }).innerText(), 'Cook');
    await chat.box.pressSequentially('@');
    await until('none is the last', async () => /No persona/.test((await names.allTextContents()).at(-1) ?? ''));
    await chat.write('');
    await chat.exchange(provider, answers('Soup.'), 'What is for dinner?');
    assert.match(provider.calls.findLast(asksForAnswer).raw.toString(), /patient cook/);
    await page.reload();
    assert.equal(await page.locator('#options-chosen').filter({ hasText: 'Cook' }).innerText(), 'Cook');
});

test('open pages follow a persona that another device makes, renames or deletes', async (t) => {
    const as = await user('pat'), other = await alfred.signIn('pat');
    const page = await open(t, { as }), second = await open(t, { as: other });
    const chat = new Chat(page), chosen = page.locator('#options-chosen'), offered = (p) => p.locator('[name=persona] option').allTextContents();
    await new Chat(second).exchange(provider, answers('Soup.'), 'What is for dinner?');
    await page.locator('#options summary').click();
    await page.locator('[name=persona]').selectOption({ label: 'Cook' });
    await page.keyboard.press('Escape');
    const id = await page.locator('[name=persona]').inputValue();
    assert.equal((await other.request('PATCH', `/api/personas/${id}`, { json: { name: 'Bard' } })).status, 200);
    await until('the new name is shown', async () => (await chosen.textContent()) === 'Bard');
    assert.equal(await page.locator('[name=persona]').inputValue(), id, 'it is still chosen');
    await until('a conversation offers it', async () => (await offered(second)).includes('Bard'));
    await other.postJson('/api/personas', { name: 'Clerk', text: 'You write letters.' });
    await until('a new one is offered', async () => (await offered(page)).includes('Clerk'));
    assert.equal((await other.request('DELETE', `/api/personas/${id}`)).status, 200);
    await until('the name is gone', async () => (await chosen.textContent()) === '');
    assert.ok(!(await offered(page)).includes('Bard'));
    await chat.exchange(provider, answers('Bread.'), 'And for breakfast?');
});

test('a dialog closes by a click outside, not by a selection that ends there or a click on its edge', async (t) => {
    const page = await open(t, { as: await user('ivo') });
    await page.getByRole('textbox', { name: 'Message Alfred' }).pressSequentially('/tra');
    await page.getByRole('option', { name: 'Translate' }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Translate' }), field = dialog.getByRole('textbox').first();
    await field.fill('A long text');
    const d = await dialog.boundingBox(), f = await field.boundingBox(), y = f.y + f.height / 2;
    await page.mouse.move(f.x + f.width / 2, y);
    await page.mouse.down();
    await page.mouse.move(d.x - 40, y, { steps: 4 });
    await page.mouse.up();
    await page.mouse.click(d.x + 8, d.y + 8);
    assert.equal(await field.inputValue(), 'A long text');
    await page.mouse.click(d.x - 40, y);
    await dialog.waitFor({ state: 'detached' });
});

test('the pages: entries are made, changed and deleted, with and without a script', async (t) => {
    for (const javaScriptEnabled of [true, false]) {
        const client = await alfred.user(`ivo-${javaScriptEnabled}`);
        const page = await open(t, { as: client, path: '/prompts', javaScriptEnabled });
        await page.getByRole('textbox', { name: 'Name' }).fill('Sum up');
        await page.getByRole('textbox', { name: 'Text' }).fill('Sum up {{text}}');
        await page.getByRole('button', { name: 'Add' }).click();
        await page.locator('.item-title', { hasText: 'Sum up' }).waitFor();
        if (javaScriptEnabled) await until('the focus is at the form, which is folded now', () => page.locator('.add > summary').evaluate((el) => el === document.activeElement));
        await page.locator('.item summary').click();
        await page.locator('.item input[name=name]').fill('Shorter');
        await page.locator('.item').getByRole('button', { name: 'Save' }).click();
        await page.locator('.item-title', { hasText: 'Shorter' }).waitFor();
        await page.locator('.item summary').click();
        await page.locator('.item').getByRole('button', { name: 'Delete' }).click();
        await page.locator('.flash', { hasText: 'Deleted' }).waitFor();
        assert.equal(await page.locator('.item').count(), 0);
        if (javaScriptEnabled) await until('the focus is in the page', () => page.evaluate(() => document.activeElement !== document.body));
    }
});

test('axe finds nothing on the pages, and nothing is wider than the window', async (t) => {
    const client = await user('ilse');
    const { json } = await client.postJson('/api/sessions/new/messages', { text: 'Hello' });
    for (const size of [{ viewport: DESKTOP }, phone]) {
        const page = await blank(t, { as: client, ...size });
        for (const path of ['/prompts', '/personas', `/sessions/${json.session.id}/answers`, '/settings']) {
            await page.goto(path);
            await ready(page);
            assert.deepEqual(await axe(page), [], path);
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path);
        }
    }
});
