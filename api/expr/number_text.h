// A double as text.
#ifndef ASYNCOPS_API_EXPR_NUMBER_TEXT_H_
#define ASYNCOPS_API_EXPR_NUMBER_TEXT_H_

#include <string>

namespace asyncops::expr {

// The shortest text that reads back as the same double, as Go's encoding/json writes it: "1",
// "0.25", "1000000", and an exponent only below 1e-6 and from 1e21. "NaN", "Infinity", "-Infinity"
// otherwise.
std::string DoubleText(double number);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_NUMBER_TEXT_H_
