// Workspaces on the pages: set and left on the sessions page, used as a filter, and for a new chat; with and without
// script.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat } from './lib/chat.js';
import { axe } from './lib/look.js';
import { answers, asksForAnswer, phone, stage } from './lib/stage.js';

const { alfred, provider, open } = await stage();
await alfred.user('wanda', { role: 'admin' });
const signedIn = async (t, more) => open(t, { as: await alfred.signIn('wanda'), ...more });

async function exchange(chat, text, answer) {
    provider.next(answers(answer), (call) => asksForAnswer(call) && call.asks(text));
    await chat.write(text);
    await chat.sendButton.click();
    await chat.reads(answer);
}
const items = (page) => page.locator('#session-list > li');
/** With script the link opens a menu, without script it leads to the form. */
async function edit(item, script) {
    await item.getByRole('link', { name: /^Options of/ }).click();
    if (script) await item.page().getByRole('menuitem', { name: 'Title and workspace' }).click();
    await item.page().getByRole('textbox', { name: 'Title' }).waitFor();
}

for (const javaScriptEnabled of [true, false])
    test(`a chat begins in a workspace, is filtered, moved and taken out (script ${javaScriptEnabled ? 'on' : 'off'})`, async (t) => {
        const name = javaScriptEnabled ? 'Boat' : 'Attic', other = `${name} and more`;
        const page = await signedIn(t, { javaScriptEnabled, path: `/?workspace=${name}` });
        const chat = new Chat(page);
        await page.getByText(`This session begins in the workspace ${name}.`).waitFor();
        await exchange(chat, `First of ${name}`, `Answer of ${name}.`);
        await exchange(chat, `Second of ${name}`, `Another of ${name}.`);

        await page.goto('/sessions');
        await page.getByRole('navigation', { name: 'Workspaces' }).getByRole('link', { name, exact: true }).click();
        assert.equal(await items(page).count(), 1);
        const item = items(page).first();
        await edit(item, javaScriptEnabled);
        const field = item.getByRole('combobox', { name: 'Workspace' });
        assert.equal(await field.inputValue(), name);
        await field.fill(other);
        await item.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Title and workspace are saved.').waitFor();
        assert.equal(await items(page).count(), 0, 'it is no longer in this one');

        await page.goto(`/sessions?workspace=${encodeURIComponent(other)}`);
        assert.equal(await items(page).count(), 1);
        await page.getByRole('link', { name: 'Search this workspace' }).click();
        assert.match(page.url(), /\/search\?workspace=/);
        await page.goBack();
        await page.getByRole('link', { name: `New chat in ${other}` }).click();
        await page.getByText(`This session begins in the workspace ${other}.`).waitFor();

        await page.goto('/sessions');
        await edit(items(page).filter({ hasText: other }), javaScriptEnabled);
        const again = items(page).filter({ has: page.getByRole('combobox', { name: 'Workspace' }) });
        assert.equal(await again.getByRole('combobox', { name: 'Workspace' }).inputValue(), other);
        await again.getByRole('combobox', { name: 'Workspace' }).fill('');
        await again.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Title and workspace are saved.').waitFor();
        assert.equal(await items(page).filter({ hasText: other }).count(), 0);
    });

for (const colorScheme of ['light', 'dark'])
    test(`axe finds nothing serious, and a narrow page holds long names (${colorScheme})`, async (t) => {
        const long = 'The renovation of the old post office in the village, twice';
        const page = await signedIn(t, { ...phone, viewport: { width: 320, height: 700 }, colorScheme, path: `/?workspace=${encodeURIComponent(long)}` });
        await exchange(new Chat(page), `Long ${colorScheme}`, 'Long indeed.');
        await page.goto(`/sessions?workspace=${encodeURIComponent(long)}`);
        await edit(items(page).first(), true);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
        assert.deepEqual(await axe(page), []);
    });
