import type { refusals } from './en/refusals.ts'
import type { texts } from './en.ts'

/** Texts of refusals are large, so they are loaded on demand and are no part of `texts`. */
type Texts = typeof texts & { refusals: typeof refusals }

/** Name of a part of the catalogue, for one screen or topic. */
export type Part = keyof typeof texts

/**
 * Translation of a part. A missing text, or one that lacks a placeholder of the English text, is a
 * type error.
 */
export type Translation<P extends keyof Texts> = Translated<Texts[P]>

type Translated<T> = T extends string
  ? Naming<keyof Values<T> & string>
  : { readonly [Key in keyof T]: Translated<T[Key]> }

/** A string type that contains a placeholder, `{name}` or `{name, …}`, for each of these names. */
type Naming<Name extends string> = [Name] extends [never]
  ? string
  : Intersected<Name extends string ? (text: `${string}{${Name}${'}' | ','}${string}`) => void : 0>

type Intersected<Functions> = [Functions] extends [(text: infer Text) => void] ? Text : never

/** Texts of a part as screens use them: a text with values is a function of these. */
export type Words<P extends Part> = Spoken<Texts[P]>

type Spoken<T> = T extends string
  ? keyof Values<T> extends never
    ? string
    : (values: Values<T>) => string
  : { readonly [Key in keyof T]: Spoken<T[Key]> }

/**
 * Names and types of the values in an ICU MessageFormat text, parsed by the type system with a
 * stack. Within a message `{` begins an argument; within an argument with branches it begins a
 * nested message.
 */
type Values<S extends string> = Flat<Message<S, []>>
type Flat<T> = { [Key in keyof T]: T[Key] }

type Message<S extends string, Stack extends string[]> = S extends `${infer Text}{${infer Rest}`
  ? Text extends `${string}}${string}`
    ? Close<S, Stack>
    : Argument<Rest, Stack>
  : Close<S, Stack>

type Close<S extends string, Stack extends string[]> = S extends `${string}}${infer Rest}`
  ? Stack extends [infer Top, ...infer Below extends string[]]
    ? Top extends 'message'
      ? Branches<Rest, Below>
      : Message<Rest, Below>
    : object
  : object

type Branches<S extends string, Stack extends string[]> = S extends `${infer Text}{${infer Rest}`
  ? Text extends `${string}}${string}`
    ? Close<S, Stack>
    : Message<Rest, ['message', ...Stack]>
  : Close<S, Stack>

type Argument<S extends string, Stack extends string[]> = S extends `${infer Name}}${infer Rest}`
  ? Name extends `${string},${string}`
    ? S extends `${infer Own}, ${infer Kind}, ${infer Inner}`
      ? Record<Own, Kind extends 'select' ? string | boolean : number> &
          Branches<Inner, ['argument', ...Stack]>
      : never
    : Record<Name, string | number> & Message<Rest, Stack>
  : never
