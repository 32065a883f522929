// A value that is mostly not there, for tables with very many of them.
#ifndef ASYNCOPS_RECONCILER_RARELY_H_
#define ASYNCOPS_RECONCILER_RARELY_H_

#include <memory>

namespace asyncops::reconciler {

// A T in a pointer: as long as nobody made it, it is T() and takes no memory of its own. A value.
template <class T>
class Rarely {
 public:
  Rarely() = default;
  Rarely(const Rarely& other) : made_(other.made_ ? std::make_unique<T>(*other.made_) : nullptr) {}
  Rarely(Rarely&&) noexcept = default;
  Rarely& operator=(const Rarely& other) { return *this = Rarely(other); }
  Rarely& operator=(Rarely&&) noexcept = default;
  ~Rarely() = default;

  const T& get() const {
    static const T kNone{};
    return made_ ? *made_ : kNone;
  }
  // Makes it where it is not there.
  T& Make() {
    if (!made_) made_ = std::make_unique<T>();
    return *made_;
  }
  void Reset() { made_.reset(); }
  bool is_made() const { return made_ != nullptr; }

  bool operator==(const Rarely& other) const { return get() == other.get(); }

 private:
  std::unique_ptr<T> made_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_RARELY_H_
