// Starts Swagger UI on this service's own description; nothing is loaded from elsewhere.
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
    plugins: [honestLocks],
  });
});
