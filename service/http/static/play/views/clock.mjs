/** The time that is left for a turn. */

import { serverNow } from "../game/api.mjs";
import { Component, html } from "../vendor/preact-htm.mjs";

const HURRY = 10;

/** @typedef {{deadline: string, label: string}} Props */

/** @extends {Component<Props>} */
export class Clock extends Component {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  timer;

  componentDidMount() {
    this.timer = setInterval(() => this.forceUpdate(), 500);
  }

  componentWillUnmount() {
    clearInterval(this.timer);
  }

  render() {
    const { deadline, label } = this.props;
    const left = Math.max(0, Math.ceil((Date.parse(deadline) - serverNow()) / 1000));
    const [minutes, seconds] = [Math.floor(left / 60), `${left % 60}`.padStart(2, "0")];
    return html`<span class=${`clock ${left <= HURRY ? "hurry" : ""}`} role="timer" aria-label=${label}>
      ${minutes}:${seconds}
    </span>`;
  }
}
