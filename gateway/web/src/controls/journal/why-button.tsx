import { startTransition } from 'react'
import { homeWords } from '../../words/home.ts'
import { Button } from '../button.tsx'

interface Props {
  /** Name of the explained amount, for screen readers; undefined if a card has only one. */
  of?: string
  /** ID of the element with the reason. */
  controls: string
  isShown: boolean
  onShow: (isShown: boolean) => void
  kind?: 'quiet'
}

/**
 * Disclosure button: shows and hides the reason of an amount. In a transition, because React delays
 * a part that is loaded then by 300 ms otherwise.
 */
export function WhyButton({ of, controls, isShown, onShow, ...look }: Props) {
  const name = isShown ? homeWords.hideWhyOf : homeWords.whyOf
  return (
    <Button
      {...look}
      aria-label={of === undefined ? undefined : name({ name: of })}
      aria-expanded={isShown}
      aria-controls={controls}
      onClick={() => startTransition(() => onShow(!isShown))}
    >
      {isShown ? homeWords.hideWhy : homeWords.why}
    </Button>
  )
}
