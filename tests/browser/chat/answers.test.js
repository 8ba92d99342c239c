// Actions on an answer: edit it, and ask another model for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange } from '../../lib/chat.js';
import { Chat } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { answers, asksForAnswer, phone, stage } from '../lib/stage.js';

const { alfred, provider, open, asked } = await stage();
const anna = await alfred.admin('anna');
const shot = (page, name) => process.env.SHOTS_DIR && page.screenshot({ path: `${process.env.SHOTS_DIR}/answers-${name}.png` });


for (const [where, options] of [['a desktop', {}], ['a phone', phone]]) {
    test(`an answer is edited in place and marked, on ${where}`, async (t) => {
        const { session } = await exchange(anna, provider, `Where? (${where})`, 'In the desert.');
        const page = await open(t, { as: anna, path: `/s/${session}`, ...options });
        const chat = new Chat(page);
        await chat.act(chat.reply, 'Edit').click();
        const box = chat.reply.getByRole('textbox');
        await box.waitFor();
        await chat.answer.waitFor({ state: 'hidden' }); // the editor is in its place
        assert.deepEqual(await axe(page), []);
        await shot(page, `edit-${where}`);
        await box.fill('In the Arctic.');
        await chat.reply.getByRole('button', { name: 'Save' }).click();
        await chat.reads('In the Arctic.');
        await chat.reply.getByText('Edited').waitFor();
        assert.match(await chat.reply.locator('.count').innerText(), /2 \/\s*of\s*2/);
        await shot(page, `edited-${where}`);
        await page.reload();
        assert.deepEqual(await chat.texts(), [`Where? (${where})`, 'In the Arctic.']);
    });
}

for (const [end, act] of [['length', (call) => call.end('length')], ['stopped', null]])
    test(`an answer that ended early (${end}) and was edited is continued`, async (t) => {
        const text = `Count to ten (${end})`, page = await open(t, { as: anna }), chat = new Chat(page);
        await chat.send(text);
        const first = await asked(text);
        await first.text('One, two');
        await chat.reads('One, two');
        await (act ? act(first) : chat.stopButton.click());
        await chat.settled();
        await chat.act(chat.reply, 'Edit').click();
        await chat.reply.getByRole('textbox').fill('1, 2');
        await chat.reply.getByRole('button', { name: 'Save' }).click();
        await chat.reads('1, 2');
        const button = chat.reply.getByRole('button', { name: 'Continue' });
        await button.waitFor();
        await page.emulateMedia({ media: 'print' });
        assert.equal(await button.isVisible(), false, 'paper has no buttons');
        await page.emulateMedia({ media: 'screen' });
        await button.click();
        const call = await provider.call((c) => asksForAnswer(c) && c.prompt.includes('1, 2'));
        await call.start();
        await call.text(', 3');
        await call.end();
        await chat.reads('1, 2, 3');
        await chat.settled();
        await chat.reply.getByText('Edited').waitFor();
        assert.equal(await chat.reply.getByRole('button', { name: 'Continue' }).count(), 0);
    });

test('an answer is edited with the keyboard, and Esc leaves it as it was', async (t) => {
    const { session } = await exchange(anna, provider, 'Keys?', 'By hand.');
    const page = await open(t, { as: anna, path: `/s/${session}` });
    const chat = new Chat(page);
    await chat.act(chat.reply, 'Edit').focus();
    await page.keyboard.press('Enter');
    const box = chat.reply.getByRole('textbox');
    await box.press('End');
    await page.keyboard.type(' And foot.');
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'hidden' });
    await chat.reads('By hand.');
    await page.keyboard.press('Enter');
    await box.press('End');
    await page.keyboard.type(' And foot.');
    await page.keyboard.press('Control+Enter');
    await chat.reads('By hand. And foot.');
});

for (const [where, options] of [['a desktop', {}], ['a phone', phone]]) {
    test(`another model answers from the menu, on ${where}`, async (t) => {
        const text = `Who are you? (${where})`;
        const { session } = await exchange(anna, provider, text, 'The first.');
        const page = await open(t, { as: anna, path: `/s/${session}`, ...options });
        const chat = new Chat(page);
        const button = chat.act(chat.reply, 'Answer again with another model');
        await button.focus();
        await page.keyboard.press('Enter');
        const menu = page.getByRole('menu', { name: 'Answer again with another model' });
        await menu.getByRole('menuitem').first().waitFor();
        assert.deepEqual(await axe(page), []);
        await shot(page, `again-${where}`);
        await page.keyboard.press('Escape');
        await menu.waitFor({ state: 'detached' });
        await button.click();
        await menu.getByRole('menuitem', { name: /built-in/i }).click();
        await chat.reply.getByText('2').first().waitFor();
        await chat.settled();
        assert.match(await chat.reply.locator('.model').innerText(), /built-in/i);
        assert.match(await chat.reply.locator('.count').innerText(), /2 \/\s*of\s*2/);
    });
}

test('without a script an answer is edited, and another model chosen on its page', async (t) => {
    const { session } = await exchange(anna, provider, 'Plain?', 'Plain.');
    const page = await open(t, { as: anna, path: `/s/${session}`, javaScriptEnabled: false });
    const chat = new Chat(page);
    await chat.act(chat.reply, 'Edit').click();
    await chat.reply.getByRole('textbox').fill('Plainer.');
    await chat.reply.getByRole('button', { name: 'Save' }).click();
    await chat.reads('Plainer.');
    await chat.act(chat.reply, 'Answer again with another model').click();
    await page.getByRole('heading', { name: 'Answer again with another model' }).waitFor();
    await shot(page, 'models');
    await page.getByRole('button', { name: /^Answer again.*built-in/i }).click();
    await page.waitForURL(/\/s\//);
    assert.match(await chat.reply.locator('.model').innerText(), /built-in/i);
});
