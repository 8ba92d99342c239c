// The files of a workspace on their page: chosen, dropped, refused, read, deleted; on a phone, and without script.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { docx } from '../../lib/documents.js';
import { pdf } from '../../lib/pdf.js';
import { Chat } from '../lib/chat.js';
import { axeInBothSchemes, sticksOut } from '../lib/look.js';
import { PHONE, answers, asksForAnswer, leads, phone, stage } from '../lib/stage.js';

const { alfred, provider, open } = await stage();
const fiona = await alfred.user('fiona', { role: 'admin' });
const pageOf = (t, workspace, more) => open(t, { as: fiona, path: `/workspace/instructions?workspace=${workspace}`, ...more });

const names = (page) => page.locator('#files .item-title');
const choose = (page, ...files) => page.getByLabel('Files to add').setInputFiles(files.map(([name, body]) => ({ name, mimeType: name.endsWith('.pdf') ? 'application/pdf' : 'text/plain', buffer: Buffer.from(body) })));
const elsewhere = (workspace, name) => fiona.postJson('/api/workspace/files', { workspace, name, text: 'x' });
const textOf = async (workspace, name) => {
    const { files } = await fiona.getJson(`/api/workspace/files?workspace=${workspace}`);
    return (await fiona.getJson(`/api/workspace/files/${files.find((f) => f.name === name).id}`)).file.text;
};

test('several files are added as soon as they are chosen, also of PDF, and what cannot be read is named', async (t) => {
    const page = await pageOf(t, 'Desk');
    const second = await pageOf(t, 'Desk');
    await choose(page, ['b.txt', 'bee\r\n'], ['a.pdf', pdf([['The first line', 'The second line']])], ['bin.dat', [0, 1, 2]], ['long.txt', 'é'.repeat(600_000)], ['latin.txt', [0x63, 0x61, 0x66, 0xe9]]);
    await page.getByText('Alfred can read text files, PDF files and office documents, but not this: bin.dat').waitFor();
    await page.getByText(/^long\.txt is not added: the text of a file has at most 1\sMB/).waitFor();
    assert.deepEqual(await names(page).allTextContents(), ['a.pdf', 'b.txt', 'latin.txt']);
    assert.equal(await textOf('Desk', 'b.txt'), 'bee\n');
    assert.match(await textOf('Desk', 'a.pdf'), /The first line\nThe second line/);
    assert.equal(await textOf('Desk', 'latin.txt'), 'café');
    await names(second).nth(2).waitFor(); // the other tab follows
    await elsewhere('Desk', 'c.txt');
    await names(page).getByText('c.txt').waitFor();
    assert.ok(await page.getByText('but not this: bin.dat').isVisible(), 'the reasons stay when the list changes elsewhere');

    await choose(page, ['B.txt', 'another']);
    await page.getByText('The files are added.').waitFor();
    assert.equal(await page.getByText('bin.dat').count(), 0);
    await elsewhere('Desk', 'd.txt');
    await names(page).getByText('d.txt').waitFor();
    assert.ok(await page.getByText('The files are added.').isVisible(), 'so does the result');
    assert.equal(await textOf('Desk', 'B.txt'), 'another');
    assert.deepEqual(await axeInBothSchemes(page), []);
});

test('files that are chosen while others are added are added, too, and what was refused is named', async (t) => {
    const page = await pageOf(t, 'Queue'), held = Promise.withResolvers();
    await page.route('**/api/workspace/files', async (route) => {
        await held.promise;
        await route.continue();
    });
    const sent = page.waitForRequest('**/api/workspace/files');
    await choose(page, ['bin.dat', [0, 1, 2]], ['one.txt', 'one']);
    await sent;
    await choose(page, ['two.txt', 'two']);
    held.resolve();
    await page.getByText('but not this: bin.dat').waitFor();
    assert.deepEqual(await names(page).allTextContents(), ['one.txt', 'two.txt']);
});

test('a file that is dropped on the page is added', async (t) => {
    const page = await pageOf(t, 'Drop');
    const kept = await page.evaluate(() => {
        const data = new DataTransfer();
        data.items.add(new File(['dropped'], 'drop.txt', { type: 'text/plain' }));
        const fire = (kind) => document.querySelector('h1').dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data }));
        return [fire('dragover'), 'drop' in document.querySelector('#add-files').dataset, fire('drop')];
    });
    assert.deepEqual(kept, [false, true, false], 'the browser does not open it');
    await names(page).getByText('drop.txt').waitFor();
    assert.equal(await textOf('Drop', 'drop.txt'), 'dropped');
});

for (const [kind, more] of [['on a phone', phone], ['without script', { javaScriptEnabled: false, viewport: PHONE }]])
    test(`two files are added, one is read and deleted, ${kind}`, async (t) => {
        const workspace = kind.replaceAll(' ', '-');
        const page = await pageOf(t, workspace, more);
        await choose(page, ['one.docx', docx(['The first'])], ['a-very-long-name-without-a-space-'.repeat(4) + '.md', `${'x'.repeat(300)}\n`]);
        if (more.javaScriptEnabled === false) await page.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByText('The files are added.').first().waitFor();
        assert.equal(await names(page).count(), 2);
        assert.deepEqual(await sticksOut(page), []);
        await names(page).getByText('a-very').click();
        await page.waitForURL(/\/workspace\/files\/\d+$/);
        await page.getByText('xxx').waitFor();
        assert.deepEqual(await sticksOut(page), []);
        await page.getByRole('link', { name: 'Delete' }).click();
        await page.getByRole('button', { name: 'Delete' }).click();
        await page.getByText('The file is deleted.').first().waitFor();
        assert.deepEqual(await names(page).allTextContents(), ['one.docx']);
        const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download: one.docx' }).click()]);
        assert.equal(download.suggestedFilename(), 'one.docx.txt', 'it is the text');
    });

test('a conversation of the workspace, its details and Ctrl+K lead to the files', async (t) => {
    await elsewhere('Found', 'a list.txt');
    const there = /workspace\/instructions\?workspace=Found/;
    const page = await open(t, { as: fiona, path: '/?workspace=Found' });
    await leads(page, there, () => page.getByRole('link', { name: 'Files and instructions' }).click());
    await page.goBack();
    const chat = new Chat(page);
    provider.next(answers('Found.'), (call) => asksForAnswer(call) && call.asks('Anything?'));
    await chat.write('Anything?');
    await chat.sendButton.click();
    await chat.reads('Found.');
    const id = page.url().match(/ses_\w+/)[0];
    await page.reload();
    await page.locator('#gauge summary').click();
    await leads(page, there, () => page.getByRole('link', { name: '1 file of the workspace' }).click());
    await page.goto(`/sessions/${id}/details`);
    await leads(page, there, () => page.getByRole('main').getByRole('link', { name: 'Found' }).click());
    await page.keyboard.press('Control+k');
    await page.keyboard.type('lis');
    await leads(page, /workspace\/files\/\d+$/, () => page.getByRole('group', { name: 'Files' }).getByRole('option', { name: 'a list.txt Found' }).click());
});

test('the page gives the workspace another name and deletes it, after a question', async (t) => {
    await elsewhere('Shed', 'a.txt');
    const page = await pageOf(t, 'Shed', { ...phone });
    await page.getByRole('textbox', { name: 'Name' }).fill('Barn');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByText('The workspace has a new name.').first().waitFor();
    assert.deepEqual(await names(page).allTextContents(), ['a.txt']);
    assert.deepEqual(await sticksOut(page), []);
    await page.getByRole('link', { name: 'Delete the workspace' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The workspace is deleted.').first().waitFor();
    assert.equal(await page.getByRole('link', { name: 'Barn' }).count(), 0);
});
