// A long file of a message: attached, sent, opened, copied and edited, also on a phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { block, row, rows } from '../../lib/rows.js';
import { Chat } from '../lib/chat.js';
import { answers, asksForAnswer, phone, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open } = await stage();
const anna = await alfred.admin('anna');
provider.always(answers('Rows.'), asksForAnswer);

const csv = rows(5000), MB = 1024 * 1024, FIRST = row(1), MIDDLE = row(2500);

/** Drops a file on the page. */
const drop = (page, name, text) => page.evaluate(([n, s]) => {
    const data = new DataTransfer();
    data.items.add(new File([s], n));
    document.querySelector('#transcript').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
}, [name, text]);

/** Sends a file with a question; gives the chat on its page. */
async function sendFile(page, question) {
    const chat = new Chat(page);
    await chat.box.fill(question);
    await drop(page, 'data.csv', csv);
    await page.locator('#composer .file-name', { hasText: 'data.csv' }).waitFor();
    await page.keyboard.press('Enter');
    await chat.reads('Rows.');
    await chat.settled();
    return chat;
}
const file = (page) => page.locator('article.user > .files > .file');

for (const [name, size] of [['a desktop', {}], ['a phone', phone]])
    test(`on ${name} a CSV file of 5,000 rows is attached, sent and opened, and the page has none of it before`, async (t) => {
        const page = await open(t, { as: anna, ...size });
        await sendFile(page, `What is in it, on ${name}?`);
        for (const again of [false, true]) {
            if (again) {
                await page.reload();
                await ready(page);
            }
            assert.equal(await file(page).locator('.file-size').innerText(), `${Math.ceil(csv.length / 1024)} KB`.replace(' ', '\u00a0'));
            assert.ok(!(await page.content()).includes(MIDDLE));
            await file(page).locator('summary').click();
            const text = file(page).locator('pre');
            await text.waitFor();
            assert.ok((await text.textContent()).includes(MIDDLE));
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the window');
            const box = await text.boundingBox(), { height } = page.viewportSize();
            assert.ok(box && box.height < height, 'it scrolls by itself');
        }
    });

test('the whole text of a message with a long file is copied and edited', async (t) => {
    const page = await open(t, { as: anna, permissions: ['clipboard-read', 'clipboard-write'] });
    const chat = await sendFile(page, 'Copy it');
    await page.reload();
    await ready(page);
    await chat.question.getByRole('button', { name: 'Copy', exact: true }).click();
    const whole = `Copy it\n\n${block('data.csv', csv)}`;
    await until('it is copied', async () => (await page.evaluate(() => navigator.clipboard.readText())) === whole);
    await page.reload();
    await ready(page);
    await chat.question.locator('.edit > summary').click();
    const editor = chat.question.locator('.edit textarea');
    await until('the editor has the typed text', async () => (await editor.count()) === 1 && (await editor.inputValue()) === 'Copy it');
    await editor.fill('Edited');
    await chat.question.getByRole('button', { name: 'Save', exact: true }).click();
    await chat.question.locator('.bubble', { hasText: 'Edited' }).waitFor();
    assert.equal(alfred.sql('SELECT text FROM message WHERE text LIKE ?', 'Edited%')[0].text, `Edited\n\n${block('data.csv', csv)}`);
    assert.ok(!(await page.content()).includes(FIRST), 'the page has a part of it again');
});

test('a long text without a file is unfolded', async (t) => {
    const page = await open(t, { as: anna, permissions: ['clipboard-read', 'clipboard-write'] });
    const chat = new Chat(page), lines = Array.from({ length: 3000 }, (_, i) => `Line ${i} of a log`).join('\n');
    await page.evaluate((v) => navigator.clipboard.writeText(v), lines);
    await chat.box.focus();
    await page.keyboard.press('ControlOrMeta+V');
    await until('it is pasted', async () => (await chat.box.inputValue()) === lines);
    await page.keyboard.press('Enter');
    await chat.reads('Rows.');
    await chat.settled();
    assert.ok(!(await page.content()).includes('Line 1500 of'));
    await chat.question.locator('.unfold > summary').click();
    await chat.question.locator('.bubble', { hasText: 'Line 1500 of' }).waitFor();
});

test('the box says that the model reads parts of a long file, and not of a short one', async (t) => {
    const page = await open(t, { as: anna });
    const note = page.locator('#composer .files-note');
    await drop(page, 'data.csv', csv);
    await note.filter({ hasText: /^The message is longer than .+ can read at once\. It reads parts of it\.$/ }).waitFor();
    await page.getByRole('button', { name: 'Remove data.csv' }).click();
    await note.waitFor({ state: 'hidden' });
    await drop(page, 'short.csv', rows(5));
    await page.locator('#composer .file-name', { hasText: 'short.csv' }).waitFor();
    assert.equal(await note.textContent(), '');
});

test('a file that would make the message longer than 1 MB is refused with the limit', async (t) => {
    const page = await open(t, { as: anna });
    await drop(page, 'big.csv', 'x'.repeat(MB));
    await page.locator('.toast', { hasText: 'This does not fit: big.csv. A message and its files have at most 1 MB of text.' }).waitFor();
    assert.equal(await page.locator('#composer .file').count(), 0);
});
