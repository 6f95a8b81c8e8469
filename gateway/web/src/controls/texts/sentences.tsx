import { usePreferences } from '../../preferences/preferences.ts'
import { frameWords } from '../../words/frame.ts'

interface Props {
  sentences: string[]
  className: string | undefined
}

/** Sentences of the server, which contain amounts; replaced by a text while amounts are hidden. */
export function Sentences({ sentences, className }: Props) {
  const { areAmountsHidden } = usePreferences()
  const shown = areAmountsHidden ? [frameWords.hiddenSentences] : sentences
  return (
    <ul className={className}>
      {shown.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}
