// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { I18nProvider } from "../i18n/I18n";
import en from "../i18n/messages/en/customer";
import { SearchField } from "./SearchField";

const load = () => Promise.resolve(en);
const loaders = { en: load, fr: load, sw: load };

let root: Root;
let place: HTMLElement;
let sent: (string | undefined)[];

/** show draws the field as it stands when the address says value. */
function show(value: string): void {
  act(() =>
    root.render(
      <I18nProvider loaders={loaders} initial={{ language: "en", messages: en }}>
        <MantineProvider>
          <SearchField label="Search" value={value} onChange={(text) => sent.push(text)} />
        </MantineProvider>
      </I18nProvider>,
    ),
  );
}

const field = () => place.querySelector("input")!;

function type(text: string): void {
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field(), text);
    field().dispatchEvent(new Event("input", { bubbles: true }));
  });
}

const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.useFakeTimers();
  sent = [];
  place = document.body.appendChild(document.createElement("div"));
  root = createRoot(place);
  show("");
});

afterEach(() => {
  act(() => root.unmount());
  place.remove();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("SearchField", () => {
  it("searches once typing pauses", () => {
    type("am");
    pass(200);
    type("amina");
    pass(200);
    expect(sent).toEqual([]);
    pass(60);
    expect(sent).toEqual(["amina"]);
  });

  it("keeps what is typed on while earlier searches arrive in the address", () => {
    type("am");
    pass(300);
    type("amin");
    pass(300);
    type("amina");
    show("am");
    expect(field().value).toBe("amina");
    show("amin");
    expect(field().value).toBe("amina");
    pass(300);
    expect(sent).toEqual(["am", "amin", "amina"]);
  });

  it("follows the address when that changes by itself", () => {
    type("amina");
    pass(300);
    show("amina");
    show("juma");
    expect(field().value).toBe("juma");
    show("");
    expect(field().value).toBe("");
  });
});
