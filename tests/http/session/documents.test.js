// Office documents: their text for the pages' scripts, and as files of a workspace, from the form and by the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serveFile } from '../../lib/chat.js';
import { compound, docx } from '../../lib/documents.js';
import { pdf } from '../../lib/pdf.js';
import { zip } from '../../lib/zip.js';

const KB = 1024;
const alfred = await serveFile({ config: { limits: { document_bytes: 64 * KB, message_bytes: 16 * KB, body_bytes: 50 * KB } } });
const anna = await alfred.admin('anna');

const read = (name, body, headers = {}) => anna.request('POST', `/page/documents?name=${encodeURIComponent(name)}`, { body, headers: { accept: 'application/json', 'content-type': 'application/octet-stream', ...headers } });
const refusal = async (name, body) => {
    const { status, json } = await read(name, body);
    return [status, json.error.message];
};
const put = (name, body, workspace = 'Work') => anna.request('POST', `/api/workspace/documents?workspace=${workspace}&name=${encodeURIComponent(name)}`, { body, headers: { accept: 'application/json', 'content-type': 'application/octet-stream' } });
const textOf = async (workspace, name) => {
    const { files } = await anna.getJson(`/api/workspace/files?workspace=${workspace}`);
    return (await anna.getJson(`/api/workspace/files/${files.find((f) => f.name === name).id}`)).file.text;
};

test('the text of a document is read by its content, whatever its name is', async () => {
    const { status, json } = await read('notes.txt', docx(['Rent & notice', 'Three months.']));
    assert.deepEqual([status, json], [200, { text: 'Rent & notice\n\nThree months.' }]);
});

test('what cannot be read has a sentence with the reason', async () => {
    assert.deepEqual(await refusal('safe.docx', compound('EncryptedPackage')), [400, 'safe.docx is protected by a password. Save it without one.']);
    assert.deepEqual(await refusal('old.doc', compound('WordDocument')), [415, 'old.doc has an old format. Save it as .docx.']);
    assert.match((await refusal('some.zip', zip([['a.txt', 'a']]))).join(' '), /^415 some\.zip is neither text nor a document/);
    assert.match((await refusal('cut.docx', docx(['text']).subarray(0, -30))).join(' '), /^400 cut\.docx is damaged/);
    assert.match((await refusal('empty.docx', docx([]))).join(' '), /^400 empty\.docx has no text/);
    assert.match((await refusal('evil.docx', docx('<w:p><w:r><w:t>x</w:t></w:r></w:p>'.repeat(400_000)))).join(' '), /^413 evil\.docx is (too long|too large)/);
    assert.match((await anna.request('POST', '/page/documents?name=alt.xls', { body: compound('Workbook'), headers: { accept: 'application/json', 'accept-language': 'de', 'content-type': 'application/octet-stream' } })).text, /altes Format. Speichere die Datei als \.xlsx/);
});

test('a document may be longer than other bodies, up to its own limit', async () => {
    const filler = (n) => zip([['[Content_Types].xml', ''], ['media/a.bin', Buffer.alloc(n, 7), { method: 0 }]]);
    assert.equal((await read('a.docx', filler(60 * KB))).status, 400, 'received: no main part in it');
    assert.deepEqual(await refusal('b.docx', filler(70 * KB)), [413, 'The document is larger than 64\u00a0KB, the limit of this server.']);
    assert.equal((await read('c.docx', docx(['x']), { 'x-csrf-token': 'wrong' })).status, 403);
    assert.equal((await anna.stranger().request('POST', '/page/documents?name=d.docx', { body: docx(['x']), headers: { accept: 'application/json' } })).status, 401);
});

test('a document becomes a file of a workspace by the API, with the size of its text', async () => {
    const made = await put('report.docx', docx(['Über uns']));
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([made.json.file.name, made.json.file.bytes, made.json.file.lines], ['report.docx', 9, 1]);
    assert.equal((await put('REPORT.docx', docx(['Two']))).status, 200);
    assert.equal(await textOf('Work', 'REPORT.docx'), 'Two');
    assert.equal((await put('plain.md', '# Text')).status, 201);
    assert.equal(await textOf('Work', 'plain.md'), '# Text');
    assert.equal((await put('plan.pdf', pdf([['Page one'], ['Page two']]))).status, 201);
    assert.equal(await textOf('Work', 'plan.pdf'), 'Page one\n\nPage two\n');
    assert.match((await put('scan.pdf', pdf([[]]))).json.error.message, /^scan\.pdf has no text, only pictures/);
    assert.match((await put('safe.xlsx', compound('EncryptedPackage'))).json.error.message, /^safe\.xlsx is protected/);
});

test('the form without script reads documents, and names the one that it cannot read', async () => {
    const line = '----files', parts = [];
    for (const [name, value] of [['csrf', anna.csrf], ['workspace', 'Form']]) parts.push(Buffer.from(`--${line}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`));
    for (const [name, body] of [['plan.docx', docx(['The plan'])], ['old.ppt', compound('PowerPoint Document')]]) parts.push(Buffer.from(`--${line}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`), body, Buffer.from('\r\n'));
    const page = await anna.request('POST', '/workspace/files', { body: Buffer.concat([...parts, Buffer.from(`--${line}--\r\n`)]), headers: { 'content-type': `multipart/form-data; boundary=${line}` } });
    assert.match(page.text, /old\.ppt has an old format\. Save it as \.pptx\./);
    assert.equal(await textOf('Form', 'plan.docx'), 'The plan');
});
