// The web search of a strict server: Anthropic's web_search_20250305 at /v1/messages, OpenAI's web_search at /responses, and
// openrouter:web_search at OpenRouter's /chat/completions.
// - platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
// - developers.openai.com/api/docs/guides/tools-web-search
// - openrouter.ai/docs/guides/features/server-tools/web-search
// "search the web for QUERY" in the newest message makes a model search, if the search is offered. A model with `search: false` has none.
const ANTHROPIC = 'web_search_20250305';
const ANTHROPIC_FIELDS = ['type', 'name', 'max_uses', 'allowed_domains', 'blocked_domains', 'user_location', 'cache_control'];
const OPENAI_FIELDS = ['type', 'filters', 'search_context_size', 'user_location'];
/** Of each result and citation. The strict server accepts no other one back. */
const ENCRYPTED = 'EqgfCioIARgBIiQ3';

export const PAGES = [
    { url: 'https://www.example.org/tea', title: 'Tea [and](https://evil.example) more' },
    { url: 'https://tea.example.com/green?from=search', title: 'Green tea' },
];

const ROUTER = 'openrouter:web_search';
const isSearch = (tool) => [ANTHROPIC, 'web_search', ROUTER].includes(tool.type);

/** The query that the newest message, with this text, wants; null: none, or the model is not offered the search. */
export function searchedFor(body, text) {
    const asked = (body.messages ?? body.input).at(-1).role === 'user' && (body.tools ?? []).some(isSearch);
    return asked ? text.match(/search the web for ([\w ]+)/i)?.[1] ?? null : null;
}

/** The refusal of a tool that is the search; null: it is fine. */
export function anthropicSearchRefuses(tool, i, model) {
    const odd = Object.keys(tool).find((key) => !ANTHROPIC_FIELDS.includes(key));
    if (odd) return `tools.${i}.${ANTHROPIC}.${odd}: Extra inputs are not permitted`;
    if (tool.name !== 'web_search') return `tools.${i}.${ANTHROPIC}.name: Input should be 'web_search'`;
    if (tool.max_uses !== undefined && !(tool.max_uses > 0)) return `tools.${i}.${ANTHROPIC}.max_uses: Input should be greater than 0`;
    return model.search === false ? `'${model.id}' does not support tool types: ${ANTHROPIC}. Did you mean one of ?` : null;
}

export const isAnthropicSearch = (tool) => tool.type === ANTHROPIC;

export function openaiSearchRefuses(tool, i, model) {
    const odd = Object.keys(tool).find((key) => !OPENAI_FIELDS.includes(key));
    if (odd) return `Unknown parameter: 'tools[${i}].${odd}'.`;
    return model.search === false ? `Hosted tool 'web_search' is not supported with ${model.id}.` : null;
}

/** The refusal of a tool that is OpenRouter's search; null: it is fine; undefined: it is another tool. */
export function routerSearchRefuses(tool, i) {
    if (tool.type !== ROUTER) return undefined;
    const odd = Object.keys(tool).find((key) => key !== 'type' && key !== 'parameters');
    return odd ? `Invalid input: Unrecognized key: "${odd}" (tools.${i})` : null;
}

/** Blocks of a search that come back: each use has its results behind it, but for the last block of an answer that was paused. */
export function anthropicUsesRefuse(blocks, at) {
    for (const [k, block] of blocks.entries()) {
        const next = blocks[k + 1];
        if (block.type === 'server_tool_use' && !/^srvtoolu_/.test(block.id)) return `${at}.${k}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'`;
        if (block.type === 'server_tool_use' && next && next.tool_use_id !== block.id) return `${at}.${k}: \`web_search\` tool use with id \`${block.id}\` was found without a corresponding \`web_search_tool_result\` block`;
        if (block.type === 'web_search_tool_result' && blocks[k - 1]?.id !== block.tool_use_id) return `${at}.${k}: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks: ${block.tool_use_id}`;
        if (block.type === 'web_search_tool_result' && !block.content.every((r) => r.encrypted_content === ENCRYPTED)) return `${at}.${k}: Invalid \`encrypted_content\` in \`search_result\` block`;
        if (block.citations && !block.citations.every((c) => c.encrypted_index === ENCRYPTED)) return `${at}.${k}: Invalid \`encrypted_index\` in \`citations\``;
    }
    return null;
}

/** The blocks of Anthropic's answer: [start, ...deltas]. */
export function anthropicSearchBlocks(query, number) {
    const id = `srvtoolu_${number}`;
    const found = PAGES.map((p) => ({ type: 'web_search_result', ...p, encrypted_content: ENCRYPTED, page_age: null }));
    const cites = PAGES.map((p) => ({ type: 'citations_delta', citation: { type: 'web_search_result_location', ...p, encrypted_index: ENCRYPTED, cited_text: 'Tea is a drink.' } }));
    return [
        [{ type: 'server_tool_use', id, name: 'web_search', input: {} }, { type: 'input_json_delta', partial_json: '' }, { type: 'input_json_delta', partial_json: '{"query": "' }, { type: 'input_json_delta', partial_json: `${query}"}` }],
        [{ type: 'web_search_tool_result', tool_use_id: id, content: found }],
        [{ type: 'text', text: '', citations: [] }, cites[0], { type: 'text_delta', text: `Found ${query}` }, cites[1], cites[0]],
        [{ type: 'text', text: '' }, { type: 'text_delta', text: '.' }],
    ];
}

/** The item of OpenAI's search, and the message with its sources. Only the first source is a link in the text. */
export const openaiSearchItem = (query) => ({ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', queries: [query], query } });
export const routerAnnotations = (query) => openaiSearchPart(query).annotations.map(({ type, ...citation }) => ({ type, url_citation: citation }));
export function openaiSearchPart(query) {
    const text = `Found ${query} ([example.org](${PAGES[0].url})).`;
    return { type: 'output_text', text, annotations: PAGES.map((p) => ({ type: 'url_citation', ...p, start_index: 6, end_index: 10 })) };
}
