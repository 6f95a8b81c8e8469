import type { JsonSchema } from '../http/answers/answer.ts'
import { type Shape, shapeOf } from './shape.ts'

/** Operations of one tag, in the order of the OpenAPI document. */
export interface OperationGroup {
  name: string
  description: string
  operations: Operation[]
}

/** An operation in the list of the reference page. */
export interface Operation {
  id: string
  /** In upper case. */
  method: string
  path: string
  summary: string
  /** Text that the filter searches, in lower case. */
  words: string
}

/** An operation with all data for a page of its own. Descriptions are Markdown. */
export interface OperationDetail extends Operation {
  tag: string
  description: string
  /** Version of Coffer since which it is stable, or `preview`. */
  since: string
  /** Text about the credentials that it accepts. */
  credential: string
  acceptsKey: boolean
  acceptsSession: boolean
  parameters: Parameter[]
  body: Body | null
  answers: Answer[]
  /** Shapes of the frames of a WebSocket; empty for other operations. */
  frames: Shape[]
}

interface Parameter {
  name: string
  in: string
  isRequired: boolean
  description: string
  shape: Shape
  /** Values of an enumeration; empty for other parameters. */
  choices: string[]
  example: string
}

interface Body {
  type: string
  isRequired: boolean
  shape: Shape
  examples: Example[]
  /** Name of the file part; empty for a JSON body. */
  file: string
}

interface Answer {
  status: string
  description: string
  headers: { name: string; description: string }[]
  contents: { type: string; shape: Shape; examples: Example[] }[]
}

interface Example {
  name: string
  summary: string
  /** Indented JSON. */
  text: string
}

/** The parts of the OpenAPI document that the reference page shows. */
interface Document {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
  components: Record<'schemas' | 'responses' | 'headers', Record<string, JsonSchema>>
}

interface DocumentedOperation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  'x-since': string
  security: Record<string, unknown>[]
  parameters: DocumentedParameter[]
  requestBody?: { required: boolean; content: Record<string, Content> }
  responses: Record<string, DocumentedAnswer>
  'x-websocket'?: { frames: JsonSchema[] }
}

interface DocumentedParameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}

interface DocumentedAnswer {
  $ref?: string
  description?: string
  headers?: Record<string, { $ref: string }>
  content?: Record<string, Content>
}

interface Content {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, { summary?: string; value: unknown }>
}

/** Returns the operations of an OpenAPI document by tag. */
export function operationGroups(document: JsonSchema): OperationGroup[] {
  const { tags } = document as unknown as Document
  const all = listed(document)
  return tags.map(({ name, description }) => ({
    name,
    description,
    operations: all.filter(({ of }) => of.tags[0] === name).map(summaryOf),
  }))
}

/** Returns an operation of an OpenAPI document; undefined if it has none with this ID. */
export function operationDetail(document: JsonSchema, id: string): OperationDetail | undefined {
  const found = listed(document).find(({ of }) => of.operationId === id)
  if (found === undefined) return undefined
  const { components } = document as unknown as Document
  const { of } = found
  const acceptsKey = of.security.some(({ key }) => key !== undefined)
  const acceptsSession = of.security.some(({ session }) => session !== undefined)
  return {
    ...summaryOf(found),
    tag: of.tags[0] ?? '',
    description: of.description ?? '',
    since: of['x-since'],
    credential: credentialOf(acceptsKey, acceptsSession),
    acceptsKey,
    acceptsSession,
    parameters: of.parameters.map((one) => parameterOf(one, components.schemas)),
    body: of.requestBody ? bodyOf(of.requestBody, components.schemas) : null,
    answers: Object.entries(of.responses).map(([status, answer]) =>
      answerOf(status, answer, components),
    ),
    frames: (of['x-websocket']?.frames ?? []).map((one) => shapeOf(one, components.schemas)),
  }
}

interface Listed {
  method: string
  path: string
  of: DocumentedOperation
}

function listed(document: JsonSchema): Listed[] {
  const { paths } = document as unknown as Document
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, of]) => ({ method: method.toUpperCase(), path, of })),
  )
}

function summaryOf({ method, path, of }: Listed): Operation {
  const { operationId: id, summary, description = '' } = of
  const text = description.replaceAll(/\]\([^()]*\)/g, ' ').replaceAll(/[[`]/g, '')
  const words = [id, method, path, summary, text].join(' ').toLowerCase()
  return { id, method, path, summary, words }
}

function credentialOf(acceptsKey: boolean, acceptsSession: boolean): string {
  if (acceptsKey) return acceptsSession ? 'an API key or a session' : 'an API key'
  return acceptsSession ? 'a session, no API key' : 'none'
}

type Schemas = Record<string, JsonSchema>

function parameterOf(parameter: DocumentedParameter, schemas: Schemas): Parameter {
  const { name, in: place, required = false, description = '', schema, example } = parameter
  return {
    name,
    in: place,
    isRequired: required,
    description,
    shape: shapeOf(schema, schemas),
    choices: choicesOf(schema),
    example: example === undefined ? '' : String(example),
  }
}

function choicesOf({ type, enum: values }: JsonSchema): string[] {
  if (type === 'boolean') return ['true', 'false']
  return Array.isArray(values) ? values.map(String) : []
}

function bodyOf(
  { required, content }: NonNullable<DocumentedOperation['requestBody']>,
  schemas: Schemas,
): Body {
  const [[type, of] = ['', { schema: {} }]] = Object.entries(content)
  const shape = shapeOf(of.schema, schemas)
  const file = type === 'multipart/form-data' ? (shape.fields[0]?.name ?? '') : ''
  return { type, isRequired: required, shape, examples: examplesOf(of), file }
}

function answerOf(
  status: string,
  answer: DocumentedAnswer,
  { schemas, responses, headers }: Document['components'],
): Answer {
  const name = answer.$ref?.replace(/^.*\//, '')
  const whole = (name === undefined ? answer : responses[name]) as DocumentedAnswer
  const contents = Object.entries(whole.content ?? {}).map(([type, of]) => ({
    type,
    shape: shapeOf(of.schema, schemas),
    examples: examplesOf(of),
  }))
  const sent = Object.keys(whole.headers ?? {}).map((header) => {
    return { name: header, description: String(headers[header]?.description ?? '') }
  })
  return { status, description: whole.description ?? '', headers: sent, contents }
}

function examplesOf({ example, examples = {} }: Content): Example[] {
  const named = Object.entries(examples).map(([name, { summary = name, value }]) => ({
    name,
    summary,
    text: JSON.stringify(value, null, 2),
  }))
  if (example === undefined) return named
  return [...named, { name: 'example', summary: '', text: JSON.stringify(example, null, 2) }]
}
