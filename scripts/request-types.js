// scripts/request-types.js [FOLDER]: checks the request bodies in FOLDER (build/requests, written by tests/fake/bodies.js
// during the http tests) with tsc, against the types of the providers' own packages.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = process.argv[2] ?? `${root}build/requests`;

/** By the end of the address: the package's module and the type of the body. */
const types = [
    ['/chat/completions', 'openai/resources/chat/completions', 'ChatCompletionCreateParamsStreaming'],
    ['/responses', 'openai/resources/responses/responses', 'ResponseCreateParamsStreaming'],
    ['/embeddings', 'openai/resources/embeddings', 'EmbeddingCreateParams'],
    ['/messages', '@anthropic-ai/sdk/resources/messages', 'MessageCreateParamsStreaming'],
];

/** Calls of the Bot API (tests/lib/botapi.js): a method and its parameters. */
const BOT = '/bot/';
const typeOf = (url) => (url.startsWith(BOT) ? `Parameters<ApiMethods<never>['${url.slice(BOT.length)}']>[0]` : types.find(([end]) => url.endsWith(end))?.[2]);

// Members that other servers of OpenAI's protocol want back, and that its own package does not have: DeepSeek, llama.cpp and
// vLLM; OpenRouter; Gemini. And the members of a request of llama.cpp, vLLM and Mistral.
const EXTENSIONS = new Set(['reasoning_content', 'reasoning', 'reasoning_details', 'extra_content', 'return_progress', 'continue_final_message', 'add_generation_prompt', 'prefix']);
/** Alfred sends anthropic-version 2023-06-01, whose older models take it. The package is of version 2026-10-21. */
const OLDER = new Set(['temperature', 'top_p']);
const withoutExtensions = (value) =>
    Array.isArray(value)
        ? value.map(withoutExtensions)
        : value !== null && typeof value === 'object'
          ? Object.fromEntries(Object.entries(value).filter(([key]) => !EXTENSIONS.has(key)).map(([key, v]) => [key, withoutExtensions(v)]))
          : value;

const found = new Map(); // the constants as text; equal bodies of two test files are one
for (const name of readdirSync(folder).filter((f) => f.endsWith('.json') && f !== 'tsconfig.json').sort()) {
    for (const [url, bodies] of Object.entries(JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')))) {
        const type = typeOf(url);
        if (!type) continue;
        for (const body of bodies) {
            if (url.startsWith(BOT) && Object.keys(body).length === 0) continue; // a method without parameters
            const chat = () => ({ ...withoutExtensions({ ...body, tools: undefined }), tools: body.tools?.filter((tool) => tool.type !== 'openrouter:web_search') });
            const messages = () => Object.fromEntries(Object.entries(body).filter(([key]) => !OLDER.has(key)));
            const text = JSON.stringify({ ChatCompletionCreateParamsStreaming: chat, MessageCreateParamsStreaming: messages }[type]?.() ?? body);
            if (!found.has(type + text)) found.set(type + text, { type, text, name });
        }
    }
}
if (found.size === 0) {
    console.error(`${folder} has no request bodies: run the http tests first`);
    process.exit(1);
}

const imports = types.map(([, module, type]) => `import type { ${type} } from '${module}';`);
imports.push("import type { ApiMethods } from '@grammyjs/types';");
const constants = [...found.values()].map(({ type, text, name }, i) => `export const body${i}: ${type} = ${text}; // ${name}`);
writeFileSync(`${folder}/requests.ts`, `${[...imports, ...constants].join('\n')}\n`);
writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: { target: 'ES2022', module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'], types: [], strict: true, noEmit: true, skipLibCheck: true }, files: ['requests.ts'] }));
const { status, stdout, stderr } = spawnSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', `${folder}/tsconfig.json`], { encoding: 'utf8' });
process.stdout.write(stdout);
process.stderr.write(stderr);
if (status === 0) console.log(`${found.size} request bodies have the types of their packages`);
process.exit(status ?? 1);
