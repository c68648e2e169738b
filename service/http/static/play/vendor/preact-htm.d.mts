/** The types of what the page uses of the library beside this file. */
export type { ComponentChildren, VNode } from "preact";
export { Component, h, render } from "preact";
import type { VNode } from "preact";
export declare function html(strings: TemplateStringsArray, ...values: unknown[]): VNode;
