// The rules of a strict server for what only programs ask for: the choice of a tool, the format of an answer, stops, top_p. The
// sentences are those of OpenAI's and Anthropic's servers. Each function returns null, or the sentence that refuses the body.
// Sources: the types of the packages `openai` and `@anthropic-ai/sdk`, OpenAI's and Anthropic's pages about structured outputs,
// and the refusals in davlgd/otoroshi 140, can1357/oh-my-pi 12939 and 341, veryfront/veryfront-code 3918, Flowise 5046.

const STOPS_MAX = 4;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** Claudes that always think. Those of generation 5 besides them think unless they are told not to. */
const ALWAYS_THINKS = /^claude-(?:(?:fable|mythos)-\d|[a-z]+-5-[1-9](?:\D|$))/;
const THINKS_UNASKED = /^claude-[a-z]+-5/;
const WITHOUT_SAMPLING = /^claude-(?:opus-4-[78]|[a-z]+-5)/;
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);
const isFraction = (v) => typeof v === 'number' && v >= 0 && v <= 1;
const odd = (value, keys) => Object.keys(value).find((key) => !keys.includes(key));

/** Each schema of an object within a schema. */
function* objectsOf(schema) {
    if (!isObject(schema) && !Array.isArray(schema)) return;
    if (schema.type === 'object') yield schema;
    for (const [key, value] of Object.entries(schema)) if (!['const', 'enum', 'default', 'examples'].includes(key)) yield* objectsOf(value);
}
const isOpen = (schema) => [...objectsOf(schema)].some((s) => s.additionalProperties !== false);

/** The members of a format with a schema, beside `type` in /responses and in `json_schema` in chat completions. */
function schemaRefuses(format, at) {
    const more = odd(format, ['type', 'name', 'description', 'schema', 'strict']);
    if (more) return `Unknown parameter: '${at}.${more}'.`;
    if (!NAME.test(format.name ?? '')) return `Missing required parameter: '${at}.name'.`;
    if (!isObject(format.schema)) return `Missing required parameter: '${at}.schema'.`;
    if (format.strict !== true) return null;
    const begins = `Invalid schema for response_format '${format.name}': In context=(), `;
    if (isOpen(format.schema)) return `${begins}'additionalProperties' is required to be supplied and to be false.`;
    const lax = [...objectsOf(format.schema)].some((s) => Object.keys(s.properties ?? {}).some((key) => !s.required?.includes(key)));
    return lax ? `${begins}'required' is required to be supplied and to be an array including every key in properties.` : null;
}

function choiceRefuses(choice, name, names) {
    if (typeof choice === 'string') return ['none', 'auto', 'required'].includes(choice) ? null : `Invalid value: '${choice}'. Supported values are: 'none', 'auto', and 'required'.`;
    if (choice.type !== 'function' || typeof name !== 'string') return "Missing required parameter: 'tool_choice.function'.";
    return names.includes(name) ? null : `Tool choice '${name}' not found in 'tools' parameter.`;
}

/** `reasons`: the model takes neither stops nor top_p. */
export function openaiParamsRefuse(body, reasons) {
    const unsupported = reasons && ['stop', 'top_p'].find((key) => body[key] !== undefined);
    if (unsupported) return `Unsupported parameter: '${unsupported}' is not supported with this model.`;
    if (body.top_p !== undefined && !isFraction(body.top_p)) return `Invalid 'top_p': decimal above maximum value. Expected a value <= 1, but got ${body.top_p} instead.`;
    const stops = [body.stop ?? []].flat();
    if (stops.length > STOPS_MAX) return `Invalid 'stop': array too long. Expected an array with maximum length ${STOPS_MAX}, but got an array with length ${stops.length} instead.`;
    if (stops.some((s) => typeof s !== 'string' || s === '')) return "Invalid type for 'stop': expected one of a string or array of strings.";
    if (body.tool_choice !== undefined) {
        const wrong = choiceRefuses(body.tool_choice, body.tool_choice.function?.name, (body.tools ?? []).map((t) => t.function?.name));
        if (wrong) return wrong;
    }
    const format = body.response_format;
    if (format === undefined || format.type === 'text') return null;
    if (format.type === 'json_object') return /json/i.test(JSON.stringify(body.messages)) ? null : "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
    if (format.type !== 'json_schema' || !isObject(format.json_schema)) return "Missing required parameter: 'response_format.json_schema'.";
    return schemaRefuses(format.json_schema, 'response_format.json_schema');
}

export function responsesParamsRefuse(body, reasons) {
    if (reasons && body.top_p !== undefined) return "Unsupported parameter: 'top_p' is not supported with this model.";
    if (body.tool_choice !== undefined) {
        const wrong = body.tools ? choiceRefuses(body.tool_choice, body.tool_choice.name, body.tools.map((t) => t.name)) : "Tool choice 'required' must be specified with 'tools' parameter.";
        if (wrong) return wrong;
    }
    const format = body.text?.format;
    if (format === undefined || format.type === 'text') return null;
    if (format.type === 'json_object') return /json/i.test(JSON.stringify(body.input)) ? null : "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
    return format.type === 'json_schema' ? schemaRefuses(format, 'text.format') : `Invalid value: '${format.type}'. (text.format.type)`;
}

function outputRefuses(config) {
    const more = odd(config, ['effort', 'format']);
    if (more) return `output_config.${more}: Extra inputs are not permitted`;
    if (config.effort !== undefined && !EFFORTS.includes(config.effort)) return `output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'`;
    if (config.format === undefined) return null;
    const extra = odd(config.format, ['type', 'schema']);
    if (extra) return `output_config.format.${extra}: Extra inputs are not permitted`;
    if (config.format.type !== 'json_schema' || !isObject(config.format.schema)) return 'output_config.format.schema: Field required';
    return isOpen(config.format.schema) ? "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false" : null;
}

export function anthropicParamsRefuse(body) {
    const sampling = WITHOUT_SAMPLING.test(body.model) && ['temperature', 'top_p'].find((key) => body[key] !== undefined);
    if (sampling) return `\`${sampling}\` is deprecated for this model.`;
    const thinks = body.thinking ? body.thinking.type === 'adaptive' : THINKS_UNASKED.test(body.model);
    const forced = ['any', 'tool'].includes(body.tool_choice?.type);
    if (body.thinking?.type === 'disabled' && ALWAYS_THINKS.test(body.model)) return '"thinking.type.disabled" is not supported for this model.';
    if (forced && ALWAYS_THINKS.test(body.model)) return 'tool_choice: type "tool" and "any" are not supported for this model.';
    if (forced && thinks) return 'Thinking may not be enabled when tool_choice forces tool use.';
    if (body.tool_choice && !['auto', 'any', 'tool', 'none'].includes(body.tool_choice.type)) return `tool_choice: Input tag '${body.tool_choice.type}' found using 'type' does not match any of the expected tags`;
    if (body.tool_choice?.type === 'tool' && !body.tools?.some((t) => t.name === body.tool_choice.name)) return `tool_choice.tool.name: Tool '${body.tool_choice.name}' not found in provided tools`;
    if (body.top_p !== undefined && !isFraction(body.top_p)) return 'top_p: Input should be less than or equal to 1';
    if (body.top_p !== undefined && body.temperature !== undefined) return '`temperature` and `top_p` cannot both be specified for this model. Please use only one.';
    if (body.top_p < 0.95 && thinks) return '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.';
    if (body.stop_sequences?.some((s) => s.trim() === '')) return 'stop_sequences: each stop sequence must contain non-whitespace';
    return body.output_config ? outputRefuses(body.output_config) : null;
}
