// Starts Swagger UI on this service's own description; nothing is loaded from elsewhere.
// A turn is played by "Execute" alone: what one answer says, the next request has already.

// The operations that stand open unless somebody closed them: those of the next move.
const shownOpen = new Set(location.hash ? [] : ["createGame"]);

// A lock is shown closed once there is a token, also where calls without one are allowed.
const honestLocks = {
  statePlugins: {
    auth: {
      wrapSelectors: {
        isAuthorized: (original) => (_, securities) =>
          original(securities.filter((security) => security.size > 0)),
      },
    },
  },
};

// Carries from an answer into the requests after it: the token, the game's id, the best discard.
const carriedOn = {
  statePlugins: {
    spec: {
      wrapActions: {
        setResponse: (original, system) => (path, method, response) => {
          const answer = response.ok ? response.body : undefined;
          const game = answer?.game ?? answer;
          if (typeof answer?.token === "string" && typeof game?.id === "string") {
            authorize(system, answer.token);
            setGameId(system, game.id);
            shownOpen.add("drawCard");
          }
          if (game?.you?.arrangement?.discard) {
            setDiscard(system, game.you);
            shownOpen.add("discardCard");
          }
          return original(path, method, response);
        },
      },
    },
    layout: {
      wrapSelectors: {
        isShown: (original) => (_, thing, byDefault) =>
          original(thing, byDefault || (thing[0] === "operations" && shownOpen.has(thing[2]))),
      },
    },
  },
};

function authorize({ authActions, specSelectors }, token) {
  const schema = specSelectors.specJson().getIn(["components", "securitySchemes", "seatToken"]);
  authActions.authorizeWithPersistOption({ seatToken: { name: "seatToken", schema, value: token } });
}

// Sets it in every operation of a game. A field that was shown has a place of its own for its
// value, which comes before that by the parameter's name.
function setGameId({ specActions, specSelectors }, id) {
  const described = specSelectors.specJsonWithResolvedSubtrees().get("paths");
  for (const [path, operations] of described) {
    if (!path.includes("{game_id}")) continue;
    for (const [method, operation] of operations) {
      specActions.changeParam([path, method], "game_id", "path", id);
      for (const parameter of operation.get?.("parameters") ?? []) {
        if (parameter.get("name") === "game_id") {
          specActions.changeParamByIdentity([path, method], parameter, id);
        }
      }
    }
  }
}

// The card that leaves the fewest points; going out is said where the card makes it possible.
function setDiscard({ oas3Actions, specSelectors }, you) {
  const card = you.arrangement.discard;
  const body = you.can_go_out_with.includes(card) ? { card, go_out: true } : { card };
  const described = specSelectors.specJson().get("paths");
  const path = described.findKey(
    (operations) => operations.getIn(["post", "operationId"]) === "discardCard",
  );
  const pathMethod = [path, "post"];
  oas3Actions.setRequestBodyValue({ value: JSON.stringify(body, null, 2), pathMethod });
  // Or the operation would set its example when it is opened for the first time.
  oas3Actions.setRetainRequestBodyValueFlag({ value: true, pathMethod });
}

// The documented answers stand in a fold of their own, below what was answered. It is closed by
// each answer, and at the operations that open by themselves; what is closed is not rendered.
const foldedAnswers = {
  wrapComponents: {
    responses: (Original, { React }) => (props) => {
      const { path, method, specSelectors, tryItOutResponse } = props;
      const name = specSelectors.specJson().getIn(["paths", path, method, "operationId"]);
      const [isUnfolded, setUnfolded] = React.useState(!shownOpen.has(name));
      React.useEffect(() => {
        if (tryItOutResponse) setUnfolded(false);
      }, [tryItOutResponse]);
      const part = React.createElement;
      const answered = tryItOutResponse
        ? part("div", { className: "answered" }, part(Original, props))
        : null;
      const documented = isUnfolded ? part(Original, { ...props, tryItOutResponse: null }) : null;
      const toggle = (event) => setUnfolded(event.currentTarget.open);
      return part(
        "div",
        null,
        answered,
        part(
          "details",
          { className: "documented", open: isUnfolded, onToggle: toggle },
          part("summary", null, "Documented answers"),
          documented,
        ),
      );
    },
  },
};

// An operation that deletes stands last in its group.
const deletes = (operation) => Number(operation.get("method") === "delete");

window.addEventListener("load", () => {
  window.ui = SwaggerUIBundle({
    url: "openapi.json",
    dom_id: "#swagger-ui",
    deepLinking: true,
    tryItOutEnabled: true,
    persistAuthorization: true,
    displayRequestDuration: true,
    displayOperationId: true,
    defaultModelsExpandDepth: 0,
    operationsSorter: (one, other) => deletes(one) - deletes(other),
    validatorUrl: null,
    plugins: [honestLocks, carriedOn, foldedAnswers],
  });
});
